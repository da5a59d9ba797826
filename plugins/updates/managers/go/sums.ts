/** go.sum: one line for each module's files and one for its go.mod, in Go's order. */
import semver from "semver";

/** `path version[/go.mod]` → `h1:…`. */
export type Sums = ReadonlyMap<string, string>;

export function readSums(text: string): Sums {
  return new Map(
    text.split(/\r?\n/).flatMap((line): [string, string][] => {
      const [path, version, sum] = line.trim().split(/\s+/);
      return path && version && sum ? [[`${path} ${version}`, sum]] : [];
    }),
  );
}

export function writeSums(sums: Sums): string {
  const lines = [...sums].map(([key, sum]) => {
    const [path = "", whole = ""] = key.split(" ");
    const [version = "", file = ""] = whole.split("/");
    return { path, version, file, line: `${key} ${sum}\n` };
  });
  return lines
    .toSorted(
      (a, b) =>
        order(a.path, b.path) || semver.compare(a.version, b.version) || order(a.file, b.file),
    )
    .map(({ line }) => line)
    .join("");
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
