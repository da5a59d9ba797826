/** Lock files: one line for each version of an artifact, with the configurations that have it, or a file for each of these. */

export interface Locked {
  readonly name: string;
  readonly version: string;
  readonly configurations: readonly string[];
}

const LINE = /^([\w.-]+:[\w.-]+):([^=\s:#]+)(?:=([^=\s]*))?[ \t]*\r?$/gm;

/** `own`: the one configuration that the file is of. */
export const readLock = (text: string, own?: string): readonly Locked[] =>
  [...text.matchAll(LINE)].map(([, name = "", version = "", configurations = own ?? ""]) => ({
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
