/** Which repositories a project asks for its packages, in their order. */
import type { Settings } from "../contract.js";
import { type Mapping, mappingOf } from "./document.js";

const PUBLIC = "https://repo.packagist.org";

export interface Repositories {
  /** Of the kind that speaks Composer's protocol, first come first served. */
  readonly urls: readonly string[];
  /** Packages that the project describes itself. */
  readonly inline: ReadonlySet<string>;
  /** Version control and directories, whose packages' names nobody has told. */
  readonly sources: readonly string[];
}

/** What the repository says of the public one is what the instance has in its place. */
export function repositoriesOf(said: unknown, settings: Settings): Repositories {
  const own = settings.registries.filter(({ manager }) => manager === "composer");
  const instead = (url: string): string =>
    bare(
      own.find(({ scope }) => scope !== undefined && bare(scope) === bare(url))?.url ??
        (isPublic(url) ? own.find(({ scope }) => scope === undefined)?.url : undefined) ??
        url,
    );
  const list: readonly unknown[] = Array.isArray(said)
    ? said
    : Object.entries(mappingOf(said)).map(named);
  const entries = list.map(mappingOf);
  const off = entries.some(
    (entry) => entry["packagist.org"] === false || entry.packagist === false,
  );
  const urls = entries
    .filter(({ type, url }) => type === "composer" && typeof url === "string")
    .map(({ url }) => instead(String(url)));
  const inline = entries
    .filter(({ type }) => type === "package")
    .flatMap((entry) => (Array.isArray(entry.package) ? entry.package : [entry.package]))
    .map((one) => String(mappingOf(one).name).toLowerCase());
  const sources = entries
    .filter(
      ({ type, url }) => !["composer", "package"].includes(String(type)) && typeof url === "string",
    )
    .map(({ url }) => bare(String(url)));
  return {
    urls: [...new Set([...urls, ...(off ? [] : [instead(PUBLIC)])])].filter((url) =>
      /^https?:/.test(url),
    ),
    inline: new Set(inline),
    sources,
  };
}

/** `{ "packagist.org": false }`, and repositories by name. */
const named = ([name, value]: readonly [string, unknown]): Mapping =>
  typeof value === "object" ? mappingOf(value) : { [name]: value };

const isPublic = (url: string): boolean => /^https?:\/\/(repo\.)?packagist\.org\/?$/.test(url);

export const bare = (url: string): string =>
  url
    .replace(/^(https?:\/\/)[^/@]*@/, "$1")
    .replace(/\/(packages\.json)?$/, "")
    .replace(/\/+$/, "");
