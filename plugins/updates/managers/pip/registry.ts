/** The simple API of package indexes: as JSON (PEP 691), else as the page of links that it was before (PEP 503). */
import { UpdatesError } from "../../errors.js";
import type { Lookup, RegistryResponse } from "../../registries/contract.js";
import type { Available, Dependency, Release, SourceRepository } from "../contract.js";
import { repositoryAddress } from "../source.js";
import { normalizedName } from "./manifest/written-requirement.js";
import { pipVersioning } from "./versions/versions.js";

/** A file of a version: a wheel or a source archive. */
export interface PackageFile {
  readonly name: string;
  readonly url: string;
  readonly version: string;
  /** In hexadecimal; undefined if the index has no such sum. */
  readonly sha256: string | undefined;
  readonly size: number | undefined;
  /** In the index's format. */
  readonly uploaded: string | undefined;
  readonly python: string | undefined;
  readonly yanked: boolean;
  /** Package metadata that is served separately (PEP 658). */
  readonly metadata: boolean;
}

const ACCEPT =
  "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

const page = (index: string, name: string): string => `${index}/${normalizedName(name)}/`;

export async function pipAvailable(
  { name, origin }: Dependency,
  lookup: Lookup,
): Promise<Available> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No index is known for ${name}.`);
  const releases = await lookup.fetch<readonly Release[]>({
    url: page(origin.url, name),
    accept: ACCEPT,
    purpose: "versions",
    digest: (answer) => releasesOf(filesIn(answer, name)),
  });
  return { releases };
}

/** The files of one version. @throws UpdatesError as `Lookup` */
export const releaseFiles = (
  index: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<readonly PackageFile[]> =>
  lookup.fetch<readonly PackageFile[]>({
    url: page(index, name),
    accept: ACCEPT,
    purpose: `files of ${version}`,
    digest: (answer) =>
      filesIn(answer, name).filter(
        (file) => file.version === version || pipVersioning.compare(file.version, version) === 0,
      ),
  });

function releasesOf(files: readonly PackageFile[]): readonly Release[] {
  const versions = new Map<string, PackageFile[]>();
  for (const file of files) {
    const known = versions.get(file.version);
    if (known) known.push(file);
    else versions.set(file.version, [file]);
  }
  return [...versions].map(([version, all]) => {
    const times = all
      .map(({ uploaded }) => Date.parse(uploaded ?? ""))
      .filter((time) => !Number.isNaN(time));
    const python = all.find((file) => file.python !== undefined)?.python;
    return {
      version,
      ...(times.length === 0 ? {} : { published: Math.min(...times) }),
      ...(all.every(({ yanked }) => yanked) ? { withdrawn: "yanked" } : {}),
      ...(python === undefined ? {} : { runtime: { python } }),
    };
  });
}

function filesIn(answer: RegistryResponse, name: string): readonly PackageFile[] {
  const text = new TextDecoder().decode(answer.body);
  const isJson =
    /json/.test(answer.header("content-type") ?? "") || text.trimStart().startsWith("{");
  const files = isJson ? fromJson(text, answer.url) : fromLinks(text, answer.url);
  return files.flatMap((file) => {
    const version = versionIn(file.name, name);
    return version === undefined ? [] : [{ ...file, version }];
  });
}

type Unversioned = Omit<PackageFile, "version">;

interface JsonFile {
  readonly filename: string;
  readonly url: string;
  readonly hashes?: Readonly<Record<string, string>>;
  readonly "requires-python"?: string | null;
  readonly yanked?: boolean | string;
  readonly size?: number;
  readonly "upload-time"?: string;
  readonly "core-metadata"?: unknown;
  readonly "dist-info-metadata"?: unknown;
}

const fromJson = (text: string, base: string): readonly Unversioned[] =>
  (JSON.parse(text) as { files: readonly JsonFile[] }).files.map((file) => ({
    name: file.filename,
    url: new URL(file.url, base).href,
    sha256: file.hashes?.sha256,
    size: file.size,
    uploaded: file["upload-time"],
    python: file["requires-python"] ?? undefined,
    yanked: file.yanked !== undefined && file.yanked !== false,
    metadata: Boolean(file["core-metadata"] ?? file["dist-info-metadata"]),
  }));

const LINK = /<a\s([^>]*)>([^<]*)<\/a>/gi;
const unescaped = (text: string): string =>
  text
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const fromLinks = (text: string, base: string): readonly Unversioned[] =>
  [...text.matchAll(LINK)].flatMap(([, attributes = "", label = ""]) => {
    const said = (name: string): string | undefined => {
      const value = new RegExp(`\\b${name}\\s*=\\s*("([^"]*)"|'([^']*)')`, "i").exec(attributes);
      return value ? unescaped(value[2] ?? value[3] ?? "") : undefined;
    };
    const href = said("href");
    if (href === undefined || !URL.canParse(href, base)) return [];
    const url = new URL(href, base);
    const sha256 = /^#sha256=([0-9a-f]{64})$/.exec(url.hash)?.[1];
    url.hash = "";
    return [
      {
        name: unescaped(label).trim(),
        url: url.href,
        sha256,
        size: undefined,
        uploaded: undefined,
        python: said("data-requires-python"),
        yanked: /\bdata-yanked\b/i.test(attributes),
        metadata: /\bdata-(core|dist-info)-metadata\b/i.test(attributes),
      },
    ];
  });

/** `Some_Thing-1.2.3-py3-none-any.whl`, `some-thing-1.2.3.tar.gz` → `1.2.3`. */
function versionIn(file: string, name: string): string | undefined {
  const wheel = /^([^-]+)-([^-]+)-.*\.(whl|egg)$/.exec(file);
  const archive = /^(.+)\.(tar\.(gz|bz2|xz|Z)|tgz|zip)$/.exec(file)?.[1];
  const version =
    wheel?.[2] ?? (archive === undefined ? undefined : behind(archive, normalizedName(name)));
  return version !== undefined && pipVersioning.isVersion(version) ? version : undefined;
}

function behind(archive: string, name: string): string | undefined {
  for (const { index } of archive.matchAll(/-/g))
    if (normalizedName(archive.slice(0, index)) === name) return archive.slice(index + 1);
  return undefined;
}

/** The relevant metadata of a version. */
export interface Metadata {
  /** As written: `urllib3 (<3,>=1.21.1)`, `pytest ; extra == "test"`. */
  readonly requires: readonly string[];
  readonly python: string | undefined;
  readonly summary: string;
  readonly addresses: readonly string[];
}

/** Undefined if only the whole file has it. @throws UpdatesError as `Lookup` */
export async function metadataOf(
  index: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Metadata | undefined> {
  const files = await releaseFiles(index, name, version, lookup);
  const file = files.find(({ metadata, name: each }) => metadata && each.endsWith(".whl"));
  if (!file) return undefined;
  return lookup.fetch<Metadata>({
    url: `${file.url}.metadata`,
    purpose: "metadata",
    digest: ({ body }) => readMetadata(new TextDecoder().decode(body)),
  });
}

function readMetadata(text: string): Metadata {
  const [head = ""] = text.split(/\r?\n\r?\n/);
  const fields = [...head.replace(/\r?\n[ \t]+/g, " ").matchAll(/^([\w-]+):[ \t]*(.*)$/gm)];
  const all = (name: string): readonly string[] =>
    fields
      .filter(([, field]) => field?.toLowerCase() === name)
      .map(([, , value = ""]) => value.trim());
  return {
    requires: all("requires-dist"),
    python: all("requires-python")[0],
    summary: all("summary")[0] ?? "",
    addresses: [...all("project-url"), ...all("home-page")],
  };
}

/** The repository that the package names as its source. */
export async function pipSource(
  { name, origin }: Dependency,
  { version }: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> {
  if (origin.kind !== "registry") return undefined;
  const metadata = await metadataOf(origin.url, name, version, lookup);
  const named = (metadata?.addresses ?? []).map((text) => /^(?:(.+?),\s*)?(\S+)$/.exec(text));
  const best =
    named.find((each) => /source|repo|code|github/i.test(each?.[1] ?? "")) ??
    named.find((each) => /^https:\/\/(github|gitlab)\.com\//.test(each?.[2] ?? ""));
  const url = best?.[2] === undefined ? undefined : repositoryAddress(best[2]);
  return url === undefined ? undefined : { url };
}
