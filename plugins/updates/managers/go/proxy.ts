/** The module proxy protocol: which versions there are, what a version requires, and the checksums go.sum wants. */
import { createHash } from "node:crypto";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { hashOfSums, zipHash } from "../../text/zip-hash.js";
import type { Available, Dependency, Release, ReleaseFields } from "../contract.js";
import { type GoMod, readGoMod } from "./gomod.js";
import { goVersioning } from "./versioning.js";

/** `!x` stands for `X`, so that addresses are the same on file systems that do not tell letters apart. */
const escaped = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

const address = (proxy: string, module: string, file: string): string =>
  `${proxy}/${escaped(module)}/${file}`;

const text = (body: Uint8Array): string => new TextDecoder().decode(body);

/** Dates are asked for the newest versions only: each is a question of its own. */
const DATED = 20;

export async function goAvailable(
  { name, origin, current }: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
): Promise<Available> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No proxy is known for ${name}.`);
  const { url } = origin;
  const versions = await lookup.fetch<readonly string[]>({
    url: address(url, name, "@v/list"),
    purpose: "versions",
    digest: ({ body }) => text(body).split(/\s+/).filter(goVersioning.isVersion),
  });
  const sorted = versions.toSorted((a, b) => goVersioning.compare(b, a));
  // As for Go itself, what the newest version says of the others counts.
  const modules = sorted.filter((version) => !version.endsWith("+incompatible"));
  const line = modules.length > 0 ? modules : sorted;
  const newest = line.find((version) => !goVersioning.isPrerelease(version)) ?? line[0];
  if (newest === undefined) return { releases: await untagged(url, name, lookup) };
  const { retracted } = await moduleFile(url, name, newest, lookup);
  const newer = sorted.filter(
    (version) => current === undefined || goVersioning.compare(version, current) >= 0,
  );
  const dated = new Map(
    dates
      ? await Promise.all(
          newer
            .slice(0, DATED)
            .map(
              async (version) => [version, await published(url, name, version, lookup)] as const,
            ),
        )
      : [],
  );
  const releases = newer.map((version): Release => {
    const retraction = retracted.find(
      ({ from, to }) =>
        goVersioning.isVersion(from) &&
        goVersioning.compare(version, from) >= 0 &&
        goVersioning.compare(version, to) <= 0,
    );
    const date = dated.get(version);
    return {
      version,
      ...(retraction ? { withdrawn: retraction.why } : {}),
      ...(date === undefined ? {} : { published: date }),
    };
  });
  return { releases };
}

interface Info {
  readonly Version: string;
  readonly Time?: string;
}

/** A module without a tag: the newest commit, under a version made from its date. */
async function untagged(url: string, name: string, lookup: Lookup): Promise<readonly Release[]> {
  const { Version, Time } = await lookup.fetch<Info>({
    url: address(url, name, "@latest"),
    purpose: "latest",
    digest: ({ body }) => JSON.parse(text(body)) as Info,
  });
  const date = Date.parse(Time ?? "");
  return [{ version: Version, ...(Number.isNaN(date) ? {} : { published: date }) }];
}

const published = (
  url: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<number | undefined> =>
  lookup.fetch<number | undefined>({
    url: address(url, name, `@v/${escaped(version)}.info`),
    purpose: "date",
    digest: ({ body }) => {
      const date = Date.parse((JSON.parse(text(body)) as Info).Time ?? "");
      return Number.isNaN(date) ? undefined : date;
    },
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
    url: address(url, name, `@v/${escaped(version)}.mod`),
    purpose: "module file",
    digest: ({ body }) => {
      const { go, requirements, retracted } = readGoMod(text(body));
      return {
        go,
        requirements,
        retracted,
        sum: hashOfSums([["go.mod", createHash("sha256").update(body).digest("hex")]]),
      };
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
    url: address(url, name, `@v/${escaped(version)}.zip`),
    purpose: "module sum",
    digest: ({ body }) => zipHash(body),
  });
