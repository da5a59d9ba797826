/** The module proxy protocol: versions of a module, its go.mod, and the checksums for go.sum. */
import { createHash } from "node:crypto";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import { decodeText } from "../../text/text.js";
import { hashOfSums, zipHash } from "../../text/zip-hash.js";
import type { Available, Dependency, Release, ReleaseFields } from "../contract.js";
import { registryUrl } from "../origin.js";
import { type GoMod, readGoMod } from "./manifest.js";
import { goVersioning } from "./versions.js";

/** Writes `X` as `!x`, so that URLs do not differ by case alone. */
const escaped = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

/** `@v/<version>.<extension>` of a module. */
const fileUrl = (proxy: string, module: string, version: string, extension: string): string =>
  `${proxy}/${escaped(module)}/@v/${escaped(version)}.${extension}`;

/** Dates cost a request each, so only the newest versions get one. */
const MAX_DATED = 20;

export async function goAvailable(
  dependency: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
): Promise<Available> {
  const { name, current } = dependency;
  const url = registryUrl(dependency);
  const versions = await lookup.fetch<readonly string[]>({
    url: `${url}/${escaped(name)}/@v/list`,
    purpose: "versions",
    digest: ({ body }) => decodeText(body).split(/\s+/).filter(goVersioning.isVersion),
  });
  const sorted = versions.toSorted((a, b) => goVersioning.compare(b, a));
  // As in Go, the newest version carries the retractions of all versions.
  const modules = sorted.filter((version) => !version.endsWith("+incompatible"));
  const candidates = modules.length > 0 ? modules : sorted;
  const newest = candidates.find((version) => !goVersioning.isPrerelease(version)) ?? candidates[0];
  if (newest === undefined) return { releases: [await latestCommit(url, name, lookup)] };
  const { retracted } = await moduleFile(url, name, newest, lookup);
  const newer = sorted.filter(
    (version) => current === undefined || goVersioning.compare(version, current) >= 0,
  );
  const dated = dates ? newer.slice(0, MAX_DATED) : [];
  const published = await Promise.all(dated.map((version) => dateOf(url, name, version, lookup)));
  const releases = newer.map((version, index): Release => {
    const retraction = retracted.find(
      ({ from, to }) =>
        goVersioning.isVersion(from) &&
        goVersioning.compare(version, from) >= 0 &&
        goVersioning.compare(version, to) <= 0,
    );
    return {
      version,
      ...(retraction ? { withdrawn: retraction.why } : {}),
      ...published[index],
    };
  });
  return { releases };
}

interface VersionInfo {
  readonly Version: string;
  readonly Time?: string;
}

function publishedAt({ Time = "" }: VersionInfo): Pick<Release, "published"> {
  const published = Date.parse(Time);
  return Number.isNaN(published) ? {} : { published };
}

/** The newest commit of a module without tags, as the pseudo-version of its date. */
const latestCommit = (url: string, name: string, lookup: Lookup): Promise<Release> =>
  lookup.fetch<Release>({
    url: `${url}/${escaped(name)}/@latest`,
    purpose: "latest release",
    digest: ({ body }) => {
      const info = decodeJsonBody(body) as VersionInfo;
      return { version: info.Version, ...publishedAt(info) };
    },
  });

const dateOf = (
  url: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Pick<Release, "published">> =>
  lookup.fetch<Pick<Release, "published">>({
    url: fileUrl(url, name, version, "info"),
    purpose: "published",
    digest: ({ body }) => publishedAt(decodeJsonBody(body) as VersionInfo),
  });

export interface ModuleFile extends Pick<GoMod, "go" | "requirements" | "retracted"> {
  /** `h1:…` of the file itself. */
  readonly sum: string;
}

export const moduleFile = (
  url: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<ModuleFile> =>
  lookup.fetch<ModuleFile>({
    url: fileUrl(url, name, version, "mod"),
    purpose: "module file",
    digest: ({ body }) => {
      const { go, requirements, retracted } = readGoMod(decodeText(body));
      const sum = hashOfSums([["go.mod", createHash("sha256").update(body).digest("hex")]]);
      return { go, requirements, retracted, sum };
    },
  });

/** `h1:…` of the module's files, from its zip. */
export const moduleSum = (
  url: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<string> =>
  lookup.fetch<string>({
    url: fileUrl(url, name, version, "zip"),
    purpose: "module sum",
    digest: ({ body }) => zipHash(body),
  });
