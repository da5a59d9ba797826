/** The real program as a child process, and real files for it. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ExecutionContext } from "ava";

const BIN = fileURLToPath(new URL("../reeve.js", import.meta.url));

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramEnvironment {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

/** Runs `reeve` with these words to its end. Its environment is `PATH` and what is given, nothing else. */
export async function reeve(
  words: readonly string[],
  { cwd = tmpdir(), env = {}, stdin = "", node = [] }: ProgramEnvironment = {},
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [...node, BIN, ...words], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: "pipe",
  });
  // A command that does not read its input may have ended before it is written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => {
      child.on("close", resolve);
      child.on("error", reject);
    }),
  ]);
  return { code, stdout, stderr };
}

/** A directory with these files, by path; it goes when the test ends. */
export function folder(
  t: ExecutionContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): string {
  const directory = mkdtempSync(join(tmpdir(), "reeve-cli-"));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}
