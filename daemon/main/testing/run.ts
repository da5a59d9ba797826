/**
 * A daemon as the command line runs it: `run.js ROOT STATE CONTROL [LOG-LEVEL]`. Prints one line of JSON when it is ready or
 * cannot start, and ends with its exit code.
 */
import { endProcess, runDaemon } from "../../main.js";
import type { InvalidConfiguration } from "../../reload/invalid.js";

const [root = "", state = "", control = "", level] = process.argv.slice(2);
const print = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
// Whoever hands over sockets cannot know the process before it exists.
if (process.env.LISTEN_FDS) process.env.LISTEN_PID = String(process.pid);

// What a bug would do: first a promise that nobody looks at, then an exception.
process.once("SIGUSR2", () => {
  process.once("SIGUSR2", () => {
    throw new Error("a bug");
  });
  void Promise.reject(new Error("a forgotten promise"));
});
try {
  process.exitCode = await runDaemon({
    ...{ root, state, control, version: "0.0.0-test", logFormat: "json" },
    ...(level === "debug" && { logLevel: level }),
    ready: ({ control, listeners, generation, refused }) =>
      print({ control, listeners, generation: generation.number, refused: refused !== undefined }),
  });
} catch (thrown) {
  const { name, code, message, diagnostics } = thrown as Error & Partial<InvalidConfiguration>;
  print({ name, code, message, errors: diagnostics?.map((each) => each.message) });
  process.exitCode = 78;
}
endProcess(Number(process.exitCode));
