/** `reeve web` as a child process, as a user starts it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ExecutionContext } from "ava";

const BIN = fileURLToPath(new URL("../../reeve.js", import.meta.url));

export interface WebProcess {
  readonly pid: number;
  /** What it has printed. */
  readonly address: string;
  end(): Promise<void>;
}

/** Resolves with its address. `program`: the file of `reeve`. */
export async function startWeb(
  socket: string,
  words: readonly string[] = [],
  program = BIN,
): Promise<WebProcess> {
  const child = spawn(process.execPath, [program, "web", "--control", socket, ...words], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const end = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  for await (const address of createInterface(child.stdout)) {
    return { pid: child.pid ?? 0, address, end };
  }
  throw new Error("it ended without an address");
}

/** Its address. It ends with the test. */
export async function webProcess(t: ExecutionContext, socket: string): Promise<string> {
  const { address, end } = await startWeb(socket);
  t.teardown(end);
  return address;
}
