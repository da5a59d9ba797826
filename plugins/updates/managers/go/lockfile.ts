/** go.sum: one line for the files of each module version and one for its go.mod, in Go's order. */
import { posix } from "node:path";
import semver from "semver";
import { compareText } from "../../text/text.js";
import type { RepositoryPath } from "../contract.js";

export const sumFile = (goMod: RepositoryPath): RepositoryPath =>
  posix.join(posix.dirname(goMod), "go.sum");

/** `path version[/go.mod]` → `h1:…`. */
export type ModuleSums = ReadonlyMap<string, string>;

export function readSums(text: string): ModuleSums {
  return new Map(
    text.split(/\r?\n/).flatMap((line): [string, string][] => {
      const [path, version, sum] = line.trim().split(/\s+/);
      return path && version && sum ? [[`${path} ${version}`, sum]] : [];
    }),
  );
}

export function writeSums(sums: ModuleSums): string {
  const lines = [...sums].map(([key, sum]) => {
    const [path = "", whole = ""] = key.split(" ");
    const [version = "", file = ""] = whole.split("/");
    return { path, version, file, line: `${key} ${sum}\n` };
  });
  return lines
    .toSorted(
      (a, b) =>
        compareText(a.path, b.path) ||
        semver.compare(a.version, b.version) ||
        compareText(a.file, b.file),
    )
    .map(({ line }) => line)
    .join("");
}
