/** Answers from outside: files, globs, environment variables. With `load.ts` the only place here that touches the world. */
import { createHash } from "node:crypto";
import { glob, readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { InputRequest, InputValue } from "./inputs.js";
import { limits } from "./limits.js";
import { isBelow } from "./paths.js";

export interface ConfigurationDisk {
  /** Reads a whole file; rejects as `node:fs` does. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** Absolute paths of the files that match an absolute pattern, in any order. */
  readonly glob: (pattern: string) => Promise<readonly string[]>;
  /** The path with all symbolic links resolved; rejects as `node:fs` does. */
  readonly realPath: (path: string) => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Texts that override files on disk, by absolute path: unsaved text of an editor. */
  readonly overlay: ReadonlyMap<string, string>;
}

export type DiskNeed = Exclude<InputRequest, { kind: "call" }>;

const digest = (data: string | Uint8Array): string =>
  createHash("sha256").update(data).digest("hex");

export async function answerFrom(disk: ConfigurationDisk, need: DiskNeed): Promise<InputValue> {
  switch (need.kind) {
    case "environment": {
      const value = disk.environment[need.name];
      const hash = value === undefined ? undefined : digest(value);
      return { kind: "environment", value, hash };
    }
    case "glob":
      return answerGlob(disk, need.pattern);
    case "file":
      return answerFile(disk, need.path, need.within);
  }
}

async function answerGlob(disk: ConfigurationDisk, pattern: string): Promise<InputValue> {
  const found = new Set(await disk.glob(pattern));
  const paths = [...found].sort();
  return { kind: "glob", paths, hash: digest(paths.join("\n")) };
}

async function answerFile(
  disk: ConfigurationDisk,
  path: string,
  within: readonly string[] | undefined,
): Promise<InputValue> {
  const unsaved = disk.overlay.get(path);
  if (unsaved !== undefined) return { kind: "file", text: unsaved, hash: digest(unsaved) };
  try {
    if (within && !(await isInside(disk, path, within))) return { kind: "no_file", why: "outside" };
    return decoded(await disk.readFile(path));
  } catch (thrown) {
    return refusal(thrown);
  }
}

function decoded(bytes: Uint8Array): InputValue {
  if (bytes.length > limits.string) return { kind: "no_file", why: "too_large" };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: "file", text, hash: digest(bytes) };
  } catch {
    return { kind: "no_file", why: "not_text", detail: firstInvalidByte(bytes) };
  }
}

/** `byte 0xE9 in line 2, column 5`; columns are characters. */
function firstInvalidByte(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  let [offset, line, column] = [0, 1, 1];
  for (const character of text) {
    const isReplaced = character === "\ufffd" && bytes[offset] !== 0xef;
    if (isReplaced || bytes[offset] === undefined) break;
    offset += Buffer.byteLength(character);
    column = character === "\n" ? 1 : column + 1;
    if (character === "\n") line += 1;
  }
  const byte = (bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  return `byte 0x${byte} in line ${line}, column ${column}`;
}

function refusal(thrown: unknown): InputValue {
  const { code, message } = thrown as { readonly code?: string; readonly message?: string };
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "no_file", why: "absent" };
  if (code === TOO_LARGE) return { kind: "no_file", why: "too_large" };
  const detail = sentences[code ?? ""] ?? message ?? String(thrown);
  return { kind: "no_file", why: "unreadable", detail };
}

const sentences: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ELOOP: "its symbolic links go in a circle",
  ERR_REEVE_NO_FILE: "it is not a regular file",
};

/** The real path must be below one of the directories; a missing file has no real path. */
async function isInside(
  { realPath }: ConfigurationDisk,
  path: string,
  directories: readonly string[],
): Promise<boolean> {
  const real = await realPath(path).catch(() => path);
  const roots = await Promise.all(
    directories.map((directory) => realPath(directory).catch(() => directory)),
  );
  return real === path
    ? directories.some((directory) => isBelow(path, directory)) ||
        roots.some((root) => isBelow(path, root))
    : roots.some((root) => isBelow(real, root));
}

const TOO_LARGE = "ERR_REEVE_TOO_LARGE";

/** Shells pass what a command prints as a file of this directory: `reeve check <(…)`. */
const DESCRIPTORS = /^\/(dev|proc)\//;

/** The real file system. What is far too large is refused before it is read, and so is a named pipe: without a writer it never ends. */
export const realDisk: Pick<ConfigurationDisk, "readFile" | "glob" | "realPath"> = {
  realPath: (path) => realpath(path),
  async readFile(path) {
    const stats = await stat(path);
    if (stats.size > limits.string)
      throw Object.assign(new Error("too large"), { code: TOO_LARGE });
    if (!stats.isFile() && !stats.isDirectory() && !DESCRIPTORS.test(path))
      throw Object.assign(new Error("not a file"), { code: "ERR_REEVE_NO_FILE" });
    return readFile(path);
  },
  async glob(pattern) {
    const found = await Array.fromAsync(glob(pattern, { withFileTypes: true }));
    return found
      .filter((entry) => !entry.isDirectory())
      .map((entry) => resolve(entry.parentPath, entry.name));
  },
};
