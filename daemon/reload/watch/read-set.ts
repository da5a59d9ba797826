/** Reads what is wanted, whole: every file with its hash, or why it has no content. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { FileSet, WatchedFile } from "../../plugin-api/world.js";
import { filesOf } from "./pattern.js";

/** In the order of their paths. `maxBytes` bounds each file. */
export async function readSet(wanted: readonly string[], maxBytes: number): Promise<FileSet> {
  const paths = new Set<string>();
  for (const each of wanted) for (const path of await filesOf(each)) paths.add(path);
  return { files: await Promise.all([...paths].sort().map((path) => readOne(path, maxBytes))) };
}

async function readOne(path: string, maxBytes: number): Promise<WatchedFile> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return without(path, "is a directory");
    if (!stats.isFile()) return without(path, "is not a regular file");
    if (stats.size > maxBytes) return without(path, `larger than ${sizeText(maxBytes)}`);
    const content = await readFile(path);
    return { path, hash: hashOf(content), content };
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    return without(path, reasons[code ?? ""] ?? message);
  }
}

const without = (path: string, error: string): WatchedFile => ({
  path,
  hash: "",
  content: new Uint8Array(),
  error,
});

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "not found",
  ENOTDIR: "not found",
  EISDIR: "is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its symbolic links go in a circle",
};

export const hashOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

/** Sets with the same digest have the same files with the same contents. */
export const digestOf = ({ files }: FileSet): string =>
  hashOf(files.map(({ path, hash, error }) => `${path}\0${hash}\0${error ?? ""}`).join("\n"));

function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && value % 1024 === 0 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value} ${units[unit]}`;
}

/** What changes when a file does, without reading it: for looking often. */
export async function glance(wanted: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const each of wanted) {
    for (const path of await filesOf(each)) {
      const stats = await stat(path, { bigint: true }).catch(() => undefined);
      const { ino, size, mtimeNs, ctimeNs } = stats ?? {};
      lines.push(`${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`);
    }
  }
  return lines.join("\n");
}
