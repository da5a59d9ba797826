/** `webhook` as a process of its own, with hooks files in a directory of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionContext } from "ava";

const PROGRAM = new URL("../../../../cli/webhook.js", import.meta.url).pathname;

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
  readonly child: ChildProcess;
  readonly port: number;
  /** Everything on standard error so far. */
  readonly log: string;
  /** The path as it goes over the wire. */
  ask(path: string, sent?: Sent): Promise<Got>;
  /** Resolves when the log matches. */
  logged(pattern: RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export async function folder(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-webhook-"));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Runs it to its end. */
export async function ended(
  t: ExecutionContext,
  args: readonly string[],
  directory?: string,
): Promise<Ended> {
  const { end } = launch(args, directory ?? (await folder(t)), {});
  return end;
}

/** Serves `hooks`, an object for JSON or a text, on a port of its own. */
export async function serving(
  t: ExecutionContext,
  hooks: object | string,
  args: readonly string[] = ["-verbose"],
  options: { readonly directory?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Running> {
  const directory = options.directory ?? (await folder(t));
  const text = typeof hooks === "string" ? hooks : JSON.stringify(hooks);
  await writeFile(join(directory, "hooks.json"), text);
  const all = ["-hooks", "hooks.json", "-ip", "127.0.0.1", "-port", "0", ...args];
  const { child, end, output } = launch(all, directory, options.env ?? {});
  t.teardown(async () => {
    child.kill("SIGTERM");
    await end;
  });
  const logged = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(output.stderr)) {
      if (child.exitCode !== null) throw new Error(`it ended: ${output.stderr}`);
      await once(child.stderr as NonNullable<typeof child.stderr>, "data");
    }
  };
  await logged(/signal watcher ready/);
  const port = Number(/serving hooks on https?:\/\/127\.0\.0\.1:(\d+)/.exec(output.stderr)?.[1]);
  return {
    child,
    port,
    get log() {
      return output.stderr;
    },
    ask: (path, sent = {}) => ask({ host: "127.0.0.1", port }, path, sent),
    logged,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      return end;
    },
  };
}

export function launch(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): { child: ChildProcess; end: Promise<Ended>; output: { stdout: string; stderr: string } } {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const end = once(child, "close").then(
    ([code]): Ended => ({ code: code as number | null, ...output }),
  );
  return { child, end, output };
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

/** Asks again and again, as long as a test may last. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}
