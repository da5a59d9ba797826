/** Which repositories a project asks for its packages, in their order. */
import type { ManagerSettings } from "../contract.js";
import { type JsonObject, jsonObject } from "./document.js";

const PUBLIC = "https://repo.packagist.org";

/** A repository that speaks Composer's protocol. */
interface ComposerRepository {
  readonly url: string;
  /** Whether it may be asked for a package. */
  readonly has: (name: string) => boolean;
  /** What it does not have, and what it has, may come from those behind it, too. */
  readonly open: boolean;
}

export interface Repositories {
  /** First come first served. */
  readonly remote: readonly ComposerRepository[];
  /** Packages that the project describes itself. */
  readonly inline: ReadonlySet<string>;
  /** Directories, with `*` for the name of one, as they are seen from the project. */
  readonly directories: readonly string[];
  /** Version control and directories, whose packages' names nobody has told. */
  readonly sources: readonly string[];
}

/** What the repository says of the public one is what the instance has in its place. */
export function composerRepositories(said: unknown, settings: ManagerSettings): Repositories {
  const own = settings.registries.filter(({ manager }) => manager === "composer");
  const instead = (url: string): string =>
    bare(
      own.find(({ scope }) => scope !== undefined && bare(scope) === bare(url))?.url ??
        (isPublic(url) ? own.find(({ scope }) => scope === undefined)?.url : undefined) ??
        url,
    );
  const list: readonly unknown[] = Array.isArray(said)
    ? said
    : Object.entries(jsonObject(said)).map(named);
  const entries = list.map(jsonObject);
  const off = entries.some(
    (entry) => entry["packagist.org"] === false || entry.packagist === false,
  );
  const declared = entries
    .filter(({ type, url }) => type === "composer" && typeof url === "string")
    .map(
      (entry): ComposerRepository => ({
        url: instead(String(entry.url)),
        has: filterOf(entry),
        open: entry.canonical === false,
      }),
    );
  const inline = entries
    .filter(({ type }) => type === "package")
    .flatMap((entry) => (Array.isArray(entry.package) ? entry.package : [entry.package]))
    .map((one) => String(jsonObject(one).name).toLowerCase());
  const sources = entries
    .filter(
      ({ type, url }) => !["composer", "package"].includes(String(type)) && typeof url === "string",
    )
    .map(({ url }) => bare(String(url)));
  const directories = entries
    .filter(({ type, url }) => type === "path" && typeof url === "string")
    .map(({ url }) => String(url));
  return {
    directories,
    remote: [
      ...declared,
      ...(off ? [] : [{ url: instead(PUBLIC), has: () => true, open: false }]),
    ].filter(({ url }) => /^https?:/.test(url)),
    inline: new Set(inline),
    sources,
  };
}

/** `"only": ["acme/*"]`, `"exclude": ["acme/secret"]`: others are not looked for there, whoever publishes them. */
function filterOf({ only, exclude }: JsonObject): ComposerRepository["has"] {
  const listed = (value: unknown): RegExp | undefined =>
    Array.isArray(value) ? new RegExp(`^(?:${value.map(patternOf).join("|")})$`, "i") : undefined;
  const [wanted, unwanted] = [listed(only), listed(exclude)];
  return (name) => (wanted?.test(name) ?? true) && !(unwanted?.test(name) ?? false);
}

const patternOf = (text: unknown): string =>
  String(text)
    .split("*")
    .map((part) => RegExp.escape(part))
    .join(".*");

/** `{ "packagist.org": false }`, and repositories by name. */
const named = ([name, value]: readonly [string, unknown]): JsonObject =>
  typeof value === "object" ? jsonObject(value) : { [name]: value };

const isPublic = (url: string): boolean => /^https?:\/\/(repo\.)?packagist\.org\/?$/.test(url);

export const bare = (url: string): string =>
  url
    .replace(/^(https?:\/\/)[^/@]*@/, "$1")
    .replace(/\/(packages\.json)?$/, "")
    .replace(/\/+$/, "");
