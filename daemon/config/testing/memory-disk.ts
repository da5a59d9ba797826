/** Files that exist only in a test. */
import { matchesGlob } from "node:path";
import type { ConfigurationDisk } from "../disk.js";

/** Where the files of a test are: absolute, and on no disk. */
export const ROOT = "/configuration";
export const MAIN = `${ROOT}/main.reeve`;

/** By path relative to `ROOT`. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export function memoryDisk(files: Files): Pick<ConfigurationDisk, "readFile" | "glob"> {
  const absolute = new Map(Object.entries(files).map(([name, text]) => [`${ROOT}/${name}`, text]));
  return {
    async readFile(path) {
      const content = absolute.get(path);
      if (typeof content === "string") return new TextEncoder().encode(content);
      if (content) return content;
      const isDirectory = [...absolute.keys()].some((name) => name.startsWith(`${path}/`));
      throw Object.assign(new Error("no such file"), { code: isDirectory ? "EISDIR" : "ENOENT" });
    },
    async glob(pattern) {
      return [...absolute.keys()].filter((path) => matchesGlob(path, pattern));
    },
  };
}
