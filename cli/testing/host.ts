/** A process that runs one command line after the other, each with its own directory, environment and streams, as `reeve` would. */
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createOutput } from "../plugin-api/output.js";
import { prelude } from "../program/prelude.js";

const BIN = fileURLToPath(new URL("../reeve.js", import.meta.url));

export interface HostRequest {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
}

export interface HostAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** It ended its process, which can be used no longer. */
  readonly isLast?: true;
}

function capture(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

function replace(name: "stdin" | "stdout" | "stderr", value: unknown): void {
  Object.defineProperty(process, name, { configurable: true, enumerable: true, value });
}

async function answer({ words, cwd, env, stdin }: HostRequest): Promise<void> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env))
    if (value !== undefined) process.env[name] = value;
  process.argv = [process.execPath, BIN, ...words];
  const [out, err] = [capture(), capture()];
  replace("stdin", Readable.from(stdin === "" ? [] : [Buffer.from(stdin)], { objectMode: false }));
  replace("stdout", out.stream);
  replace("stderr", err.stream);
  const end = (code: number, isLast?: true) => {
    const texts = { stdout: out.text(), stderr: err.text() };
    process.send?.({ code, ...texts, ...(isLast && { isLast }) } satisfies HostAnswer);
  };
  const leave = process.exit;
  process.exit = ((code = 0) => end(Number(code), true)) as typeof process.exit;
  const { main } = await import("../program/main.js");
  const output = createOutput(process.stdout, process.stderr, process.env);
  const code = await main(words, output, new AbortController().signal);
  process.exit = leave;
  end(code);
}

await prelude();
process.on("message", (request: HostRequest) => answer(request));
const leave = process.exit;
process.on("disconnect", () => leave(0));
process.send?.("ready");
