/** `packages.lock.json`: what each framework resolves to, with a digest of each package. */

export interface LockEntry {
  type?: string;
  requested?: string;
  resolved?: string;
  contentHash?: string;
  dependencies?: Record<string, string>;
}

export interface Lock {
  readonly entries: readonly {
    readonly framework: string;
    readonly name: string;
    /** Of the document: may be changed, then `write` gives the text. */
    readonly entry: LockEntry;
  }[];
  /** Undefined where the text was not written the way NuGet writes: then it would change everywhere. */
  write(): string | undefined;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined for what is no lock file. */
export function readLock(whole: string): Lock | undefined {
  const mark = whole.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = whole.slice(mark.length);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isTable(document) || !isTable(document.dependencies)) return undefined;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const end = /\s*$/.exec(text)?.[0] ?? "";
  const written = (): string =>
    mark + JSON.stringify(document, undefined, 2).replaceAll("\n", newline) + end;
  const isOurs = written() === whole;
  const entries = Object.entries(document.dependencies).flatMap(([framework, packages]) =>
    Object.entries(isTable(packages) ? packages : {}).flatMap(([name, entry]) =>
      isTable(entry) ? [{ framework, name, entry: entry as LockEntry }] : [],
    ),
  );
  return { entries, write: () => (isOurs ? written() : undefined) };
}
