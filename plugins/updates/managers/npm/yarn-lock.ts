/** Which versions a yarn.lock says are in use, of Yarn 1 and of Yarn 2 and later. */
import { parse } from "yaml";
import { withoutMark } from "../../text/text.js";
import type { LockedVersions } from "./locked.js";
import { readYarnClassic } from "./yarn-classic.js";

interface BerryEntry {
  readonly version?: string | number;
  readonly resolution?: string;
  readonly linkType?: string;
}

export function yarnLockVersions(text: string): LockedVersions {
  return isBerry(text) ? berryVersions(text) : classicVersions(text);
}

export const isBerry = (text: string): boolean => /^__metadata:/m.test(text);

function classicVersions(text: string): LockedVersions {
  const entries = readYarnClassic(text);
  const byPattern = new Map(
    entries.flatMap((entry) => entry.patterns.map((pattern) => [pattern, entry] as const)),
  );
  return {
    version: (_member, declared, name, requirement) =>
      (
        byPattern.get(`${declared}@${requirement}`) ??
        byPattern.get(`${declared}@npm:${name}@${requirement}`)
      )?.version,
    all: entries
      .filter(({ resolved }) => resolved === undefined || /^https?:.*\.tgz/.test(resolved))
      .map(({ name, version }) => ({ name, version, development: false })),
  };
}

function berryVersions(text: string): LockedVersions {
  const lock = (parse(withoutMark(text).text) ?? {}) as Readonly<Record<string, BerryEntry>>;
  const byPattern = new Map<string, BerryEntry>();
  for (const [keys, entry] of Object.entries(lock))
    for (const key of keys.split(", ")) byPattern.set(key, entry);
  return {
    version: (_member, declared, name, requirement) => {
      const entry =
        byPattern.get(`${declared}@npm:${requirement}`) ??
        byPattern.get(`${declared}@npm:${name}@${requirement}`) ??
        byPattern.get(`${declared}@${requirement}`);
      return entry?.linkType === "soft" || entry === undefined ? undefined : String(entry.version);
    },
    all: Object.values(lock).flatMap(({ resolution = "", version }) => {
      const [, name] = /^(@?[^@]+)@npm:/.exec(resolution) ?? [];
      return name === undefined ? [] : [{ name, version: String(version), development: false }];
    }),
  };
}
