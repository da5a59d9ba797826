/** Reads a gem server's compact index: one text with all versions of a gem. */

import { gunzipSync, inflateSync } from "node:zlib";
import { UpdatesError } from "../../errors.js";
import { type RubyObject, readMarshal } from "../../languages/ruby-marshal.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import type {
  Available,
  Dependency,
  Release,
  ReleaseFields,
  SourceRepository,
} from "../contract.js";
import { registryUrl } from "../origin.js";
import { repositoryAddress } from "../source.js";
import { type GemNeed, splitPlatform } from "./lockfile/read.js";
import { bestFor, gemVersioning } from "./versions.js";

/** One version of a gem for one platform. */
export interface GemRelease {
  readonly version: string;
  readonly platform: string;
  /** Undefined where the server has it per version: see `gemDetails`. */
  readonly needs?: readonly GemNeed[];
  /** `>= 2.7`; undefined for any. */
  readonly ruby?: string;
  /** SHA-256 of the gem, in hexadecimal. */
  readonly checksum?: string;
}

/** @throws UpdatesError as `Lookup.fetch` */
export async function gemReleases(
  url: string,
  name: string,
  lookup: Lookup,
): Promise<readonly GemRelease[]> {
  try {
    return await lookup.fetch<readonly GemRelease[]>({
      url: `${url}/info/${encodeURIComponent(name)}`,
      purpose: "gem",
      digest: ({ body }) => readCompactIndex(new TextDecoder().decode(body)),
    });
  } catch (error) {
    if (!(error instanceof UpdatesError) || error.code !== "package_unknown") throw error;
    const releases = await legacyReleases(url, name, lookup);
    if (releases === undefined) throw error;
    return releases;
  }
}

/** The release with its dependencies. @throws UpdatesError as `Lookup.fetch` */
export const gemDetails = async (
  url: string,
  name: string,
  release: GemRelease,
  lookup: Lookup,
): Promise<GemRelease> => (release.needs ? release : legacyDetails(url, name, release, lookup));

function readCompactIndex(text: string): readonly GemRelease[] {
  const lines = text.split(/\r?\n/);
  return lines.slice(lines.indexOf("---") + 1).flatMap((line): readonly GemRelease[] => {
    const [, whole = "", needs = "", about = ""] = /^(\S+) ?([^|]*)(?:\|(.*))?$/.exec(line) ?? [];
    const [version, platform = "ruby"] = splitPlatform(whole);
    if (!gemVersioning.isVersion(version)) return [];
    const said = new Map(fields(about));
    const [ruby, checksum] = [said.get("ruby"), said.get("checksum")];
    return [
      {
        version,
        platform,
        needs: fields(needs).map(([name, requirement]) => ({ name, requirement })),
        ...(ruby === undefined ? {} : { ruby }),
        ...(checksum === undefined ? {} : { checksum }),
      },
    ];
  });
}

/** `a:>= 1&< 2,b:>= 0` → `a` → `>= 1, < 2`, and so on. */
const fields = (text: string): readonly (readonly [name: string, value: string])[] =>
  text
    .split(",")
    .filter((field) => field.includes(":"))
    .map((field) => {
      const colon = field.indexOf(":");
      return [
        field.slice(0, colon).trim(),
        field
          .slice(colon + 1)
          .replaceAll("&", ", ")
          .trim(),
      ];
    });

export async function gemAvailable(
  { name, origin, extra }: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
): Promise<Available> {
  const registry = registryUrl({ name, origin });
  const all = await gemReleases(registry, name, lookup);
  const published = dates ? await dated(registry, name, lookup) : new Map<string, number>();
  const releases = releasesFor(all, extra?.platforms ?? "ruby");
  if (published.size === 0) return { releases };
  return {
    releases: releases.map((release) => {
      const date = published.get(release.version);
      return date === undefined ? release : { ...release, published: date };
    }),
  };
}

/** Several dependencies may name one gem. */
const known = new WeakMap<readonly GemRelease[], Map<string, readonly Release[]>>();

/** One release per version of the first platform that has any. */
function releasesFor(all: readonly GemRelease[], platforms: string): readonly Release[] {
  const remembered = known.get(all) ?? new Map<string, readonly Release[]>();
  known.set(all, remembered);
  const before = remembered.get(platforms);
  if (before) return before;
  const wanted = platforms.split(" ");
  const releases = [...Map.groupBy(all, ({ version }) => version)].flatMap(
    ([version, variants]): readonly Release[] => {
      const best = wanted.map((platform) => bestFor(platform, variants)).find((one) => one);
      if (!best) return [];
      return [{ version, ...(best.ruby === undefined ? {} : { runtime: { ruby: best.ruby } }) }];
    },
  );
  remembered.set(platforms, releases);
  return releases;
}

interface Dated {
  readonly number?: unknown;
  readonly created_at?: unknown;
}

/** Only servers with the JSON API have dates. */
async function dated(
  url: string,
  name: string,
  lookup: Lookup,
): Promise<ReadonlyMap<string, number>> {
  const entries = await orElse<readonly (readonly [string, number])[]>([], () =>
    lookup.fetch({
      url: `${url}/api/v1/versions/${encodeURIComponent(name)}.json`,
      purpose: "dates",
      digest: ({ body }) =>
        (decodeJsonBody(body) as readonly Dated[])
          .map(
            ({ number, created_at }) => [String(number), Date.parse(String(created_at))] as const,
          )
          .filter(([, date]) => !Number.isNaN(date)),
    }),
  );
  return new Map(entries);
}

export async function gemSource(
  { name, origin }: Dependency,
  _release: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> {
  if (origin.kind !== "registry") return undefined;
  const said = await orElse<readonly string[]>([], () =>
    lookup.fetch({
      url: `${origin.url}/api/v1/gems/${encodeURIComponent(name)}.json`,
      purpose: "source",
      digest: ({ body }) => {
        const about = decodeJsonBody(body) as Record<string, unknown>;
        return [about.source_code_uri, about.homepage_uri].filter(
          (uri): uri is string => typeof uri === "string",
        );
      },
    }),
  );
  for (const uri of said) {
    const [, repository = uri, directory] = /^(.*?)\/tree\/[^/]+(?:\/(.+))?$/.exec(uri) ?? [];
    const url = repositoryAddress(repository);
    if (url !== undefined && /:\/\/[^/]+\/[^/]+\/[^/]+/.test(url))
      return { url, ...(directory === undefined ? {} : { directory }) };
  }
  return undefined;
}

async function orElse<Value>(other: Value, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return other;
    throw error;
  }
}

type Listed = readonly (readonly [version: string, platform: string])[];

/** Undefined where there is no such list, or it lacks the gem. `legacyDetails` has the dependencies of a version. */
async function legacyReleases(
  url: string,
  name: string,
  lookup: Lookup,
): Promise<readonly GemRelease[] | undefined> {
  const lists = await Promise.all(
    ["specs", "prerelease_specs"].map((file) => listOf(`${url}/${file}.4.8.gz`, lookup)),
  );
  if (lists[0] === undefined) return undefined;
  const found = lists.flatMap((list) => list?.[name] ?? []);
  if (found.length === 0) return undefined;
  return found.map(([version, platform]) => ({ version, platform }));
}

async function listOf(
  url: string,
  lookup: Lookup,
): Promise<Readonly<Record<string, Listed>> | undefined> {
  try {
    return await lookup.fetch({
      url,
      purpose: "all gems",
      digest: ({ body }) => {
        const all = readMarshal(unpacked(body)) as readonly (readonly unknown[])[];
        const listed = all.map(([name, version, platform]) => ({
          name: String(name),
          release: [versionIn(version), String(platform)] as const,
        }));
        return Object.fromEntries(
          [...Map.groupBy(listed, ({ name }) => name)].map(([name, group]) => [
            name,
            group.map(({ release }) => release),
          ]),
        );
      },
    });
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return undefined;
    throw error;
  }
}

/** Some servers declare gzip as the content encoding, and the file arrives unpacked. */
const unpacked = (body: Uint8Array): Uint8Array =>
  body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body, { maxOutputLength: 256 << 20 }) : body;

/** The dependencies of one version, from its own file. @throws UpdatesError as `Lookup.fetch` */
function legacyDetails(
  url: string,
  name: string,
  { version, platform }: GemRelease,
  lookup: Lookup,
): Promise<GemRelease> {
  const whole = platform === "ruby" ? `${name}-${version}` : `${name}-${version}-${platform}`;
  return lookup.fetch<GemRelease>({
    url: `${url}/quick/Marshal.4.8/${encodeURIComponent(whole)}.gemspec.rz`,
    purpose: "gem",
    digest: ({ body }) => {
      const specification = readMarshal(inflateSync(body)) as RubyObject;
      const fields = readMarshal(specification.dumped as Uint8Array) as readonly unknown[];
      const ruby = requirementIn(fields[6]);
      return {
        version,
        platform,
        needs: (fields[9] as readonly RubyObject[]).flatMap(needIn),
        ...(ruby === "" ? {} : { ruby }),
      };
    },
  });
}

function needIn({ fields }: RubyObject): readonly GemNeed[] {
  if (fields["@type"] !== undefined && fields["@type"] !== "runtime") return [];
  return [{ name: String(fields["@name"]), requirement: requirementIn(fields["@requirement"]) }];
}

/** `>= 1, < 2`. A list of pairs in a list. */
function requirementIn(requirement: unknown): string {
  const [pairs] = (requirement as RubyObject)
    .dumped as readonly (readonly (readonly unknown[])[])[];
  return (pairs ?? []).map(([operator, version]) => `${operator} ${versionIn(version)}`).join(", ");
}

const versionIn = (version: unknown): string =>
  String(((version as RubyObject).dumped as readonly unknown[])[0]);
