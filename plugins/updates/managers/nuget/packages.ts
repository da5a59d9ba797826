/** What a feed says of a package's versions: which there are, what each needs, its digest. */
import { unzipSync } from "fflate";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { child, readXml, type XmlElement } from "../../text/xml.js";
import { nugetContentHash } from "./content-hash.js";
import { feedServices } from "./feed.js";

/** For a framework, as the package writes it: empty for all. */
interface NeedGroup {
  readonly framework: string;
  readonly needs: readonly NugetNeed[];
}

export interface NugetNeed {
  readonly name: string;
  /** Empty for any version. */
  readonly range: string;
}

export interface Specification {
  /** As the package writes its own name. */
  readonly name: string;
  readonly groups: readonly NeedGroup[];
}

export interface PackageContent {
  /** `contentHash` of lock files. */
  readonly hash: string;
  /** It needs more on some machines, which stands in the package alone. */
  readonly byMachine: boolean;
}

/** @throws UpdatesError `registry_garbled` where the feed has no packages */
async function addressOf(feed: string, name: string, lookup: Lookup): Promise<string> {
  const { packages } = await feedServices(feed, lookup);
  if (packages === undefined)
    throw new UpdatesError("registry_garbled", `${feed} names no list of packages.`);
  return `${packages}${name.toLowerCase()}/`;
}

/** All that there are, unlisted ones included. @throws UpdatesError `package_unknown`, as `Lookup` */
export async function packageVersions(
  feed: string,
  name: string,
  lookup: Lookup,
): Promise<readonly string[]> {
  return lookup.fetch<readonly string[]>({
    url: `${await addressOf(feed, name, lookup)}index.json`,
    purpose: "versions",
    digest: ({ body }) =>
      (JSON.parse(textOf(body)) as { readonly versions: readonly string[] }).versions,
  });
}

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body).replace(/^\uFEFF/, "");

/** What one version needs, from its own specification. `version` as NuGet writes it. */
export async function specificationOf(
  feed: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Specification> {
  const address = await addressOf(feed, name, lookup);
  const [id, number] = [name.toLowerCase(), version.toLowerCase()];
  try {
    return await lookup.fetch<Specification>({
      url: `${address}${number}/${id}.nuspec`,
      purpose: "specification",
      digest: ({ body }) => specified(name, textOf(body)),
    });
  } catch (thrown) {
    if (!(thrown instanceof UpdatesError) || thrown.code !== "package_unknown") throw thrown;
    return lookup.fetch<Specification>({
      url: `${address}${number}/${id}.${number}.nupkg`,
      purpose: "specification",
      digest: ({ body }) => specified(name, packed(body)),
    });
  }
}

function packed(body: Uint8Array): string {
  const [file] = Object.values(unzipSync(body, { filter: (each) => isSpecification(each.name) }));
  return textOf(file ?? new Uint8Array());
}

const isSpecification = (name: string): boolean => /^[^/]+\.nuspec$/i.test(name);

function specified(name: string, text: string): Specification {
  const document = readXml(`The specification of ${name}`, text);
  const metadata = child(child(document, "package"), "metadata");
  const needs = (element: XmlElement): readonly NugetNeed[] =>
    element.children
      .filter((each) => each.name === "dependency")
      .flatMap(({ attributes }) => {
        const id = attributes.get("id")?.text;
        return id === undefined ? [] : [{ name: id, range: attributes.get("version")?.text ?? "" }];
      });
  const list = child(metadata, "dependencies");
  const grouped = list?.children.filter((each) => each.name === "group") ?? [];
  const loose = list ? needs(list) : [];
  return {
    name: child(metadata, "id")?.value?.text ?? name,
    groups: [
      ...grouped.map((group) => ({
        framework: group.attributes.get("targetFramework")?.text ?? "",
        needs: needs(group),
      })),
      ...(loose.length > 0 && grouped.length === 0 ? [{ framework: "", needs: loose }] : []),
    ],
  };
}

/** Undefined where it is no package. */
export async function packageContent(
  feed: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<PackageContent | undefined> {
  const address = await addressOf(feed, name, lookup);
  const [id, number] = [name.toLowerCase(), version.toLowerCase()];
  return lookup.fetch<PackageContent | undefined>({
    url: `${address}${number}/${id}.${number}.nupkg`,
    purpose: "content",
    digest: ({ body }) => {
      const hash = nugetContentHash(body);
      return hash === undefined ? undefined : { hash, byMachine: hasRuntime(body) };
    },
  });
}

function hasRuntime(body: Uint8Array): boolean {
  let found = false;
  unzipSync(body, {
    filter: ({ name }) => {
      found ||= name.toLowerCase() === "runtime.json";
      return false;
    },
  });
  return found;
}
