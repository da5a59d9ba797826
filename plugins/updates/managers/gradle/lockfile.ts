/** `gradle.lockfile`: one line for each artifact, with the configurations that have it. */

export interface Locked {
  readonly name: string;
  readonly version: string;
  readonly configurations: readonly string[];
}

const LINE = /^([\w.-]+:[\w.-]+):([^=\s:]+)=([\w,.-]*)[ \t]*\r?$/gm;

export const readLock = (text: string): readonly Locked[] =>
  [...text.matchAll(LINE)].map(([, name = "", version = "", configurations = ""]) => ({
    name,
    version,
    configurations: configurations.split(",").filter((each) => each !== ""),
  }));

/** With another version of `name`; every other byte stays, and so does the order, in which versions have no part. */
export const moved = (text: string, name: string, from: string, to: string): string =>
  text.replace(LINE, (line, found: string, version: string) =>
    found === name && version === from
      ? `${name}:${to}${line.slice(name.length + 1 + from.length)}`
      : line,
  );
