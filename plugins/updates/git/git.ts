/** Runs `git`: without a shell, and without the host's own configuration. */
import { type ChildProcess, spawn } from "node:child_process";
import { UpdatesError } from "../errors.js";

export interface GitOptions {
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  /** Git configuration for this call. Secrets belong here, not in the arguments. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Exit codes that count as success. @default [0] */
  readonly answers?: readonly number[];
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
}

const always = {
  "core.hooksPath": "/dev/null",
  "safe.directory": "*",
  "protocol.ext.allow": "never",
  "gc.auto": "0",
  "maintenance.auto": "false",
};

/** Environment of every call: no user or system settings, no prompts, no hooks. */
export function gitEnvironment(
  more: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Object.entries({ ...always, ...settings });
  const numbered = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(entries.length),
    ...(Object.fromEntries(numbered) as Record<string, string>),
    ...more,
  };
}

/** @throws UpdatesError with git's last line, if it exits with another code */
export async function git(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> {
  const { input, environment, settings, signal, answers = [0] } = options;
  const child = spawn("git", ["-C", directory, ...args], {
    env: gitEnvironment(environment, settings),
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    ...(signal === undefined ? {} : { signal }),
  });
  if (input !== undefined) {
    // The exit code says more than a broken pipe.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  }
  const [stdout, stderr, code] = await Promise.all([
    collected(child.stdout),
    collected(child.stderr),
    ended(child),
  ]);
  if (answers.includes(code)) return { code, stdout };
  throw new UpdatesError("git_failed", `git ${args[0]} failed: ${reason(stderr, code)}`);
}

async function collected(stream: NodeJS.ReadableStream | null): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "ENOENT"
          ? new UpdatesError("git_missing", "Cannot find the program git; install it.")
          : error,
      );
    });
    child.once("close", (code, signal) => {
      resolve(code ?? (signal === null ? 1 : 128));
    });
  });
}

/** Git's wording when it cannot prompt for a credential. */
const refused = /could not read (Username|Password)|Authentication failed|returned error: 40[13]/;

/** The last line of the output, without credentials in URLs. */
function reason(stderr: Buffer, code: number): string {
  const lines = stderr.toString("utf8").trim().split("\n");
  const last =
    lines.findLast((line) => /^(fatal|error|remote|!)/.test(line.trim())) ?? lines.at(-1);
  const standardError = (last ?? "")
    .trim()
    .replace(/^fatal: /, "")
    .replace(/:\/\/[^/@\s]+@/g, "://");
  if (refused.test(standardError))
    return "the token is refused: it is invalid, or lacks the permission";
  return standardError === "" ? `it ended with ${code}` : standardError;
}
