/** Versions of references to repositories: tags, and commits with the version in a comment. */
import { readTag, sameKind, sameWords, type Tag, tagVersioning } from "../../versions/tag.js";
import type { Available, Declaration, Dependency, Release, Versioning } from "../contract.js";

/** A commit is no version, though it may look like one: `9e5e7e5…`. */
const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})(?![0-9A-Za-z])/;

export const referenceVersioning: Versioning = {
  ...tagVersioning,
  isVersion: (text) => !COMMIT.test(text) && tagVersioning.isVersion(text),
  floor: (requirement) => (COMMIT.test(requirement) ? undefined : tagVersioning.floor(requirement)),
};

/** A tag becomes a tag, a commit a commit; the version in the comment after it changes with it. */
export function referenceRequirement(
  { requirement }: Declaration,
  { version, pin }: Release,
): string {
  const [, commit, between, comment] =
    /^([0-9a-f]{40,64})(?:(["']?[ \t]+#.*?)(\S+))?$/.exec(requirement) ?? [];
  if (commit === undefined) return version;
  if (pin === undefined) return requirement;
  return comment === undefined ? pin : `${pin}${between}${version}`;
}

interface TaggedRelease {
  readonly release: Release;
  readonly tag: Tag;
}

export function referenceComparable(
  { current, extra }: Dependency,
  { releases }: Available,
): readonly Release[] {
  const tagged = releases.flatMap((release) => {
    const tag = readTag(release.version);
    return tag ? [{ release, tag }] : [];
  });
  if (extra?.commit !== undefined) return forCommit(extra.commit, current, tagged);
  const own = current === undefined ? undefined : readTag(current);
  if (!own) return [];
  const alike = tagged.filter(({ tag }) => sameKind(own, tag));
  const isNewer = alike.some(
    ({ release }) => tagVersioning.compare(release.version, current ?? "") > 0,
  );
  // A floating tag (`v3`) is followed by the next floating tag, else by a whole version of another major.
  const precise = tagged.filter(
    ({ tag }) =>
      sameWords(own, tag) &&
      tag.numbers.length > own.numbers.length &&
      own.numbers.some((number, index) => tag.numbers[index] !== number),
  );
  return (isNewer || own.numbers.length >= 3 ? alike : [...alike, ...precise]).map(
    ({ release }) => release,
  );
}

/** Whole versions only: the version of the commit or its comment, and those after it. */
function forCommit(
  commit: string,
  current: string | undefined,
  tagged: readonly TaggedRelease[],
): readonly Release[] {
  const longest = Math.max(0, ...tagged.map(({ tag }) => tag.numbers.length));
  const whole = tagged.filter(({ tag }) => tag.numbers.length === longest);
  const own = whole.find(({ release }) => release.pin === commit)?.release.version ?? current;
  const ownTag = own === undefined ? undefined : readTag(own);
  if (own === undefined || !ownTag) return [];
  return whole
    .filter(({ tag }) => sameWords(ownTag, tag))
    .map(({ release }) => release)
    .filter(
      ({ version }) => tagVersioning.compare(version, own) > 0 || [current, own].includes(version),
    );
}
