/** A requirement with the range of its versions: `name[extras] >=1,<2 ; marker`. */
import type { TextRange } from "../../../text/text.js";
import { isPythonRequirement } from "../versions/versions.js";

export interface WrittenRequirement {
  /** As written. */
  readonly name: string;
  /** `>=1,<2`; empty for any version. */
  readonly requirement: string;
  /** The range of the requirement. */
  readonly range: TextRange;
  /** The source that replaces an index, as written. */
  readonly address?: string;
  readonly section: string;
  readonly development: boolean;
  /** The index named for it. */
  readonly index?: string;
  /** A source without a requirement, which is elsewhere. */
  readonly about?: true;
}

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)/;
const AFTER = /^(\s*(?:\[[^\]]*\])?\s*)(.*?)\s*$/s;

/** Normalizes a name by PEP 503: `Foo.Bar_baz` → `foo-bar-baz`. */
export const normalizedName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[-_.]+/g, "-");

/**
 * What a text of PEP 508 says, at `start` of the file; undefined for what is none. Markers and options behind the requirement are
 * left alone.
 */
export function readWritten(
  text: string,
  start: number,
  where: { readonly section: string; readonly development: boolean },
): WrittenRequirement | undefined {
  const lead = text.length - text.trimStart().length;
  const body = text.slice(lead);
  const [, name] = NAME.exec(body) ?? [];
  if (name === undefined) return undefined;
  const [, gap = "", rest = ""] = AFTER.exec(body.slice(name.length)) ?? [];
  const at = start + lead + name.length + gap.length;
  if (rest.startsWith("@")) {
    const address = rest.slice(1).trim().split(/\s/)[0] ?? "";
    return { name, requirement: "", range: { start: at, end: at }, address, ...where };
  }
  const end = rest.search(/;|\s#|\s--|\s*\\\s*$/);
  const spec = (end < 0 ? rest : rest.slice(0, end)).trimEnd();
  const open = /^\(\s*/.exec(spec)?.[0].length ?? 0;
  const requirement = open > 0 ? spec.slice(open).replace(/\s*\)$/, "") : spec;
  if (!isPythonRequirement(requirement)) return undefined;
  const from = at + open;
  return { name, requirement, range: { start: from, end: from + requirement.length }, ...where };
}

/** `requirements-dev.txt`, the extra `test`, the group `docs`. */
export const isForDevelopment = (name: string): boolean =>
  /(^|[^a-z])(dev|develop|development|tests?|testing|docs?|lint|linting|typing|ci|build)([^a-z]|$)/i.test(
    name,
  );
