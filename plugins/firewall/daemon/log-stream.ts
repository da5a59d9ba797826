/** A sandbox's log as it is asked for: what is there, and what comes. */
import { createReadStream, existsSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { followLines } from "../log/follow.js";
import { jsonLogName } from "../log/writer.js";
import type { SandboxRuntime } from "./sandbox-runtime.js";

/** JSON Lines, oldest first; with `follow` the last few and then each new one until the reader goes. */
export async function sendLog(
  sandbox: SandboxRuntime,
  follow: boolean,
  answer: ServerResponse,
): Promise<void> {
  answer.writeHead(200, { "content-type": "application/x-ndjson" });
  answer.flushHeaders();
  const file = join(sandbox.logDirectory, jsonLogName);
  const gone = new AbortController();
  answer.once("close", () => gone.abort());
  try {
    if (follow) await pipeline(Readable.from(lines(sandbox, file, gone.signal)), answer);
    else await pipeline(Readable.from(whole([`${file}.1`, file])), answer);
  } catch {
    answer.destroy();
  }
}

async function* whole(files: readonly string[]): AsyncGenerator<Buffer> {
  for (const file of files) if (existsSync(file)) yield* createReadStream(file);
}

async function* lines(
  sandbox: SandboxRuntime,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  sandbox.openLog();
  for await (const line of followLines(file, signal)) yield `${line}\n`;
}
