/** `packages.lock.json`: what each framework resolves to, with a digest of each package. */

export interface NugetLockEntry {
  type?: string;
  requested?: string;
  resolved?: string;
  contentHash?: string;
  dependencies?: Record<string, string>;
}

export type NugetLockSection = Readonly<Record<string, NugetLockEntry>>;

export interface NugetLock {
  /** By framework, and for machines of one kind by `framework/kind`. */
  readonly sections: ReadonlyMap<string, NugetLockSection>;
  /** The text with other sections; undefined if NuGet would format the old text differently. */
  written(sections: ReadonlyMap<string, NugetLockSection>): string | undefined;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined if it is not a lock file. */
export function readNugetLock(whole: string): NugetLock | undefined {
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
  const styled = (value: unknown): string =>
    mark + JSON.stringify(value, undefined, 2).replaceAll("\n", newline) + end;
  const isOurs = styled(document) === whole;
  return {
    sections: new Map(
      Object.entries(document.dependencies).map(([framework, packages]) => [
        framework,
        Object.fromEntries(
          Object.entries(isTable(packages) ? packages : {}).filter(([, entry]) => isTable(entry)),
        ) as NugetLockSection,
      ]),
    ),
    written: (sections) =>
      isOurs ? styled({ ...document, dependencies: Object.fromEntries(sections) }) : undefined,
  };
}

const KINDS = ["Direct", "Transitive", "Project", "CentralTransitive"];

/** Sorts as NuGet does: by kind, then by name. */
export function inOrder(entries: Iterable<readonly [string, NugetLockEntry]>): NugetLockSection {
  const rank = ({ type = "" }: NugetLockEntry): number => KINDS.indexOf(type);
  return Object.fromEntries(
    [...entries].toSorted(([a, one], [b, other]) => rank(one) - rank(other) || byName(a, b)),
  );
}

/** Ignores case. */
function byName(a: string, b: string): number {
  const [first, second] = [a.toUpperCase(), b.toUpperCase()];
  return first < second ? -1 : first > second ? 1 : 0;
}
