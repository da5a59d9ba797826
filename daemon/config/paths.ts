/** Questions about paths as text. */
import { isAbsolute, relative } from "node:path";

/** Whether an absolute path is a directory or something in it. Symbolic links are the loader's business. */
export function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}

/** The name of a file in diagnostics: relative to the configuration's directory if inside it. */
export function displayName(path: string, root: string): string {
  return isBelow(path, root) ? relative(root, path) : path;
}
