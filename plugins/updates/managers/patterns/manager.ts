/** Versions in any file, found by the `pattern` blocks of the instance. Only the text of the version changes. */
import { readTag, sameKind, tagVersioning } from "../../versions/tag.js";
import type { Dependency, Release } from "../contract.js";
import { defineManager } from "../define.js";
import { editManifests } from "../edit.js";
import { taggedReleases } from "../git-tags.js";
import { gitOrigin } from "../origin.js";
import { gitSource } from "../source.js";
import { assertSameMatches, patternsParse, patternsWanted } from "./manifest.js";
import { delegateOf } from "./sources.js";

export const patterns = defineManager({
  id: "patterns",
  missing: "No file matches a `pattern` of the daemon's configuration.",
  versioning: tagVersioning,
  filesToRead: patternsWanted,
  parse: patternsParse,
  available: async (dependency, lookup, fields) =>
    delegateOf(dependency)?.available(dependency, lookup, fields) ?? {
      releases: await taggedReleases(gitOrigin(dependency).url, lookup),
    },
  comparable: (dependency, available) => {
    const { current = "", extra } = dependency;
    const own = readTag(current);
    const known = { ...dependency, current: extra?.current ?? current };
    const releases = delegateOf(dependency)?.comparable(known, available) ?? available.releases;
    return releases
      .map((release) => asWritten(release, current))
      .filter(({ version }) => {
        const tag = readTag(version);
        return own !== undefined && tag !== undefined && sameKind(own, tag);
      });
  },
  isLibrary: async () => false,
  source: async (dependency, release, lookup) =>
    delegateOf(dependency)?.source?.(dependency, bare(release, dependency), lookup) ??
    gitSource(dependency),
  update: async ({ sources, settings, changes }) => {
    const files = editManifests(sources.files, changes);
    const after = { ...sources, files: new Map([...sources.files, ...files]) };
    assertSameMatches(sources, after, settings);
    return { files };
  },
});

/** `v1.2.3` is `1.2.3` for a text that has no `v`, and the other way. */
function asWritten(release: Release, current: string): Release {
  const { version } = release;
  const hasMark = /^v\d/.test(current);
  if (hasMark === /^v\d/.test(version)) return release;
  if (hasMark) return /^\d/.test(version) ? { ...release, version: `v${version}` } : release;
  return { ...release, version: version.slice(1) };
}

/** With the version as the registry spells it. */
const bare = (release: Release, { extra }: Dependency): Release =>
  asWritten(release, extra?.current ?? "");
