/** Programs whose terminal, or output, a test reads while they run. */
import { AWF } from "../../../tests/support/commands.js";
import type { StartedProgram, TestInternet } from "./test-internet.js";

export interface Session extends StartedProgram {
  /** Resolves with all that was printed once it fits. */
  until(wanted: RegExp): Promise<string>;
  press(keys: string): void;
}

/** Runs a shell line whose terminal the test is. `AWF` starts awf. */
export function onTerminal(world: TestInternet, line: string, ordinary = false): Session {
  const shell = `AWF() { '${process.execPath}' '${AWF}' --dns-servers 8.8.8.8 "$@"; }; ${line}`;
  return session(world, "/usr/bin/script", ["-qec", shell, "/dev/null"], ordinary);
}

export function session(
  world: TestInternet,
  file: string,
  args: readonly string[],
  ordinary = false,
): Session {
  const environment = { SHELL: "/bin/bash" };
  const started = world.start(file, args, { stdin: "open", ordinary, environment });
  let printed = "";
  let look = () => {};
  for (const stream of [started.child.stdout, started.child.stderr])
    stream?.on("data", (data) => {
      printed += String(data);
      look();
    });
  return {
    ...started,
    press: (keys) => void started.child.stdin?.write(keys),
    until: (wanted) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (wanted.test(printed)) resolve(printed);
        };
        look();
        void started.result.then(() => reject(new Error(`${wanted} does not come: ${printed}`)));
      }),
  };
}
