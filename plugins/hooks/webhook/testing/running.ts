/** `webhook` as a process of its own, with hooks files in a directory of its own. */
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { type Child, child } from "../../../../tests/support/child.js";
import { WEBHOOK } from "../../../../tests/support/commands.js";
import { within } from "../../../../tests/support/eventually.js";
import { folder } from "../../../../tests/support/folder.js";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Got {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Running {
  readonly child: Child;
  readonly port: number;
  /** Everything on standard error so far. */
  readonly log: string;
  /** The path as it goes over the wire. */
  ask(path: string, sent?: Sent): Promise<Got>;
  /** Resolves when the log matches. */
  logged(pattern: RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Runs it to its end. */
export async function ended(
  t: ExecutionContext,
  args: readonly string[],
  directory: string = folder(t),
): Promise<Ended> {
  return endOf(launch(t, args, directory));
}

async function endOf(program: Child): Promise<Ended> {
  const end = await within("the end of webhook", program.ended);
  const { stdout, stderr } = program;
  return { code: typeof end === "number" ? end : null, stdout, stderr };
}

/** Serves `hooks`, an object for JSON or a text, on a port of its own. */
export async function serving(
  t: ExecutionContext,
  hooks: object | string,
  args: readonly string[] = ["-verbose"],
  options: { readonly directory?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Running> {
  const directory = options.directory ?? folder(t);
  const text = typeof hooks === "string" ? hooks : JSON.stringify(hooks);
  writeFileSync(join(directory, "hooks.json"), text);
  const all = ["-hooks", "hooks.json", "-ip", "127.0.0.1", "-port", "0", ...args];
  const program = launch(t, all, directory, options.env);
  await program.says(/signal watcher ready/);
  const port = Number(/serving hooks on https?:\/\/127\.0\.0\.1:(\d+)/.exec(program.stderr)?.[1]);
  return {
    child: program,
    port,
    get log() {
      return program.stderr;
    },
    ask: (path, sent = {}) => ask({ host: "127.0.0.1", port }, path, sent),
    logged: async (pattern) => void (await program.says(pattern)),
    stop: async (signal = "SIGTERM") => {
      program.kill(signal);
      return endOf(program);
    },
  };
}

export function launch(
  t: ExecutionContext,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Child {
  const program = child(t, process.execPath, [WEBHOOK, ...args], {
    cwd,
    env: { ...process.env, ...env },
  });
  // It removes its temporary files by itself.
  t.teardown(async () => {
    program.kill("SIGTERM");
    await within("the end of webhook", program.ended, 10_000).catch(() => undefined);
  });
  return program;
}

/** Like a plain client: nothing is cleaned, followed or added. */
export function ask(
  to: { readonly host: string; readonly port: number } | { readonly socketPath: string },
  path: string,
  { method = "POST", headers = {}, body = "" }: Sent,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...to, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
