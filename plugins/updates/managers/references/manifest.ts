/** References to tags of repositories: `@v3`, `rev: v1.2.0`, `?ref=v2`, or a commit with the version in the comment after it. */
import type { TextRange } from "../../text/text.js";
import { readTag } from "../../versions/tag.js";
import type { Declaration, Dependency, DependencyOrigin, RepositoryPath } from "../contract.js";
import { isCommit } from "../git-tags.js";

/** One reference, as a manifest has it. */
export interface FoundReference {
  /** References to one repository have the same; the version follows in `Dependency.id`. */
  readonly key: string;
  readonly name: string;
  readonly origin: DependencyOrigin;
  readonly declaration: Declaration;
  /** The version in the reference, or in the comment after it. */
  readonly current: string | undefined;
  readonly commit: string | undefined;
}

interface WrittenReference {
  readonly key?: string;
  readonly name: string;
  readonly origin: DependencyOrigin;
  readonly file: RepositoryPath;
  /** Of the file. */
  readonly text: string;
  readonly range: TextRange;
  readonly section: string;
}

/** After a commit: the rest of its quotes, a comment, and the version in it. */
const COMMENT = /^(["']?[ \t]+#[ \t]*(?:(?:tag|frozen|version|renovate: tag)[=:]?[ \t]*)?)(\S+)/;

export function readReference(written: WrittenReference): FoundReference {
  const { name, key = name, origin, file, text, range, section } = written;
  const reference = text.slice(range.start, range.end);
  const declare = (end: number): Declaration => ({
    ...{ file, range: { start: range.start, end }, section, development: false },
    requirement: text.slice(range.start, end),
  });
  if (!isCommit(reference)) {
    const current = readTag(reference) ? reference : undefined;
    const declaration = declare(range.end);
    return { key, name, origin, declaration, current, commit: undefined };
  }
  // `@<commit> # v3.1.0`: one edit replaces the commit and the version in the comment.
  const [, between = "", comment] = COMMENT.exec(text.slice(range.end)) ?? [];
  const current = comment !== undefined && readTag(comment) ? comment : undefined;
  const length = current === undefined ? 0 : between.length + current.length;
  return {
    key,
    name,
    origin,
    declaration: declare(range.end + length),
    current,
    commit: reference,
  };
}

/** One dependency for each repository and reference. */
export function referenceDependencies(found: readonly FoundReference[]): readonly Dependency[] {
  const groups = Map.groupBy(
    found,
    ({ key, commit, declaration }) => `${key}@${commit ?? declaration.requirement}`,
  );
  return [...groups].map(([id, group]): Dependency => {
    const [{ name, origin, current, commit, declaration }] = group as [
      FoundReference,
      ...FoundReference[],
    ];
    const follows = origin.kind === "git" && current === undefined && commit === undefined;
    return {
      id,
      name,
      origin: follows
        ? { kind: "none", why: `${name} follows the branch ${declaration.requirement}.` }
        : origin,
      declarations: group.map((each) => each.declaration),
      development: false,
      current,
      ...(commit === undefined ? {} : { extra: { commit } }),
    };
  });
}
