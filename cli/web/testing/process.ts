/** `reeve web` as a child process, as a user starts it. */
import type { ExecutionContext } from "ava";
import { child, type Ending } from "../../../tests/support/child.js";
import { REEVE } from "../../../tests/support/commands.js";
import { within } from "../../../tests/support/eventually.js";

export interface WebProcess {
  readonly pid: number;
  /** What it has printed. */
  readonly address: string;
  end(): Promise<void>;
}

/** Resolves with its address. `program`: the file of `reeve`; `t`: with what it ends. */
export async function startWeb(
  socket: string,
  words: readonly string[] = [],
  program = REEVE,
  t?: Ending,
): Promise<WebProcess> {
  const ends: Array<() => unknown> = [];
  const web = child(
    { teardown: (end) => ends.push(end) },
    process.execPath,
    [program, "web", "--control", socket, ...words],
    { env: { PATH: process.env.PATH } },
  );
  const end = async () => {
    web.kill();
    await within("the end of `reeve web`", web.ended).catch(() => undefined);
    for (const each of ends) await each();
  };
  t?.teardown(end);
  const [, address = ""] = await web.says(/^(.*)\n/);
  return { pid: web.pid, address, end };
}

/** Its address. It ends with the test. */
export async function webProcess(t: ExecutionContext, socket: string): Promise<string> {
  return (await startWeb(socket, [], REEVE, t)).address;
}
