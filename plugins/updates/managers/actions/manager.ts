/** Actions of workflows: tags keep their precision, commits keep being commits and their comments follow. */
import { UpdatesError } from "../../errors.js";
import { readTag, sameKind, sameWords, type Tag, tagVersioning } from "../../versions/tag.js";
import type {
  Available,
  Declaration,
  Dependency,
  Manager,
  Release,
  Versioning,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { taggedReleases } from "../git-tags.js";
import { gitSource } from "../source.js";
import { actionsParse, actionsWanted } from "./parse.js";

/** A commit has no version, though it may look like one: `9e5e7e5…`. */
const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})(?![0-9A-Za-z])/;

const versioning: Versioning = {
  ...tagVersioning,
  isVersion: (text) => !COMMIT.test(text) && tagVersioning.isVersion(text),
  floor: (requirement) => (COMMIT.test(requirement) ? undefined : tagVersioning.floor(requirement)),
};

export const hostActions: Manager = {
  id: "host_actions",
  missing: "Repo must contain workflows in .github/workflows or an action.yml.",
  versioning,
  filesToRead: actionsWanted,
  parse: actionsParse,
  normalize: (name) =>
    name
      .trim()
      .replace(/^https?:\/\/[^/]+\//, "")
      .replace(/@.*$|\.git$/, "")
      .split("/")
      .slice(0, 2)
      .join("/"),
  available: async ({ name, origin }, lookup) => {
    if (origin.kind !== "git")
      throw new UpdatesError("lookup_failed", `No repository is known for ${name}.`);
    return { releases: await taggedReleases(origin.url, lookup) };
  },
  comparable,
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  source: gitSource,
  requirement,
  update: async ({ sources, changes }) => ({
    files: editManifests(sources.files, changes, (value) => value),
    submodules: new Map(),
    lock: { kind: "absent" },
  }),
};

function requirement(
  { requirement: old }: Declaration,
  { version, pin }: Release,
  strategy: string,
): string {
  if (strategy === "lockfile_only") return old;
  const [, commit, between, comment] =
    /^([0-9a-f]{40,64})(?:(["']?[ \t]+#.*?)(\S+))?$/.exec(old) ?? [];
  if (commit === undefined) return version;
  if (pin === undefined) return old;
  return comment === undefined ? pin : `${pin}${between}${version}`;
}

function comparable(dependency: Dependency, { releases }: Available): readonly Release[] {
  const { current, extra } = dependency;
  const tagged = releases.flatMap((release) => {
    const tag = readTag(release.version);
    return tag ? [{ release, tag }] : [];
  });
  if (extra?.commit !== undefined) return forCommit(extra.commit, current, tagged);
  const mine = current === undefined ? undefined : readTag(current);
  if (!mine) return [];
  const alike = tagged.filter(({ tag }) => sameKind(mine, tag));
  const newer = alike.some(
    ({ release }) => tagVersioning.compare(release.version, current ?? "") > 0,
  );
  // A floating tag (`v3`) goes to another one; where there is none, to a whole version.
  const precise = tagged.filter(
    ({ tag }) => sameWords(mine, tag) && tag.numbers.length > mine.numbers.length,
  );
  return (newer || mine.numbers.length >= 3 ? alike : [...alike, ...nextMajors(mine, precise)]).map(
    ({ release }) => release,
  );
}

interface Tagged {
  readonly release: Release;
  readonly tag: Tag;
}

/** Within what a floating tag covers there is nothing to gain. */
const nextMajors = (mine: Tag, precise: readonly Tagged[]): readonly Tagged[] =>
  precise.filter(({ tag }) => mine.numbers.some((number, place) => tag.numbers[place] !== number));

/** Only whole versions, and only the one that the commit or its comment says, and those after it. */
function forCommit(
  commit: string,
  current: string | undefined,
  tagged: readonly Tagged[],
): readonly Release[] {
  const most = Math.max(0, ...tagged.map(({ tag }) => tag.numbers.length));
  const whole = tagged.filter(({ tag }) => tag.numbers.length === most);
  const mine = whole.find(({ release }) => release.pin === commit)?.release.version ?? current;
  const tag = mine === undefined ? undefined : readTag(mine);
  if (mine === undefined || !tag) return [];
  return whole
    .filter((other) => sameWords(tag, other.tag))
    .map(({ release }) => release)
    .filter(
      ({ version }) =>
        tagVersioning.compare(version, mine) > 0 || [current, mine].includes(version),
    );
}
