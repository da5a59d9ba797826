/** Reading directories and comparing entries. */
import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";

/** Empty where the directory cannot be read. */
export function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Changes with the content of an entry; undefined without one. */
export function stampOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const { mode, size, mtimeMs } = found;
  if (found.isDirectory()) return "directory";
  return found.isSymbolicLink() ? `link ${readlinkSync(path)}` : `${mode} ${size} ${mtimeMs}`;
}

/** A relative path and all directories above it, outermost first. */
export function stepsTo(path: string): string[] {
  const words = path.split("/");
  return words.map((_, index) => words.slice(0, index + 1).join("/"));
}
