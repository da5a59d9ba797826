/** Reads a package's versions, dependencies and digests from a feed. */

import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { UpdatesError } from "../../../errors.js";
import type { Lookup } from "../../../registries/contract.js";
import { child, readXml, type XmlElement } from "../../../text/xml.js";
import { feedServices } from "./feed.js";

/** The framework in the package's spelling; empty for all. */
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
  /** The package's own spelling. */
  readonly name: string;
  readonly groups: readonly NeedGroup[];
}

export interface PackageContent {
  /** `contentHash` of lock files. */
  readonly hash: string;
  /** It has platform-specific dependencies, which only the package lists. */
  readonly byMachine: boolean;
}

/** @throws UpdatesError `registry_garbled` where the feed has no packages */
async function addressOf(feed: string, name: string, lookup: Lookup): Promise<string> {
  const { packages } = await feedServices(feed, lookup);
  if (packages === undefined)
    throw new UpdatesError("registry_garbled", `${feed} names no list of packages.`);
  return `${packages}${name.toLowerCase()}/`;
}

/** All versions, including unlisted ones. @throws UpdatesError `package_unknown`, as `Lookup` */
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

/** The dependencies of one version, from its nuspec. `version` in NuGet's form. */
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

/** Undefined if it is not a package. */
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

const SIGNATURE = ".signature.p7s";
const DIRECTORY_END = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;

interface Entry {
  readonly name: string;
  /** The position of its record in the directory. */
  readonly at: number;
  readonly length: number;
  /** The hash of the file. */
  readonly start: number;
}

/** Undefined for an archive in another format. */
export function nugetContentHash(body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const end = bytes.lastIndexOf(word(DIRECTORY_END));
  if (end === -1 || end + 22 > bytes.length) return undefined;
  const directory = bytes.readUInt32LE(end + 16);
  const entries = entriesOf(bytes, directory, end, bytes.readUInt16LE(end + 10));
  if (
    !entries ||
    bytes.readUInt16LE(end + 8) !== entries.length ||
    bytes.readUInt32LE(end + 12) !== end - directory
  )
    return undefined;
  const signature = entries.find(({ name }) => name === SIGNATURE);
  if (!signature) return createHash("sha512").update(bytes).digest("base64");
  if (bytes.readUInt32LE(signature.start) !== LOCAL_ENTRY) return undefined;
  // The file ends at the next file or at the directory.
  const starts = entries.map(({ start }) => start).filter((start) => start > signature.start);
  const next = Math.min(directory, ...starts);
  const size = next - signature.start;
  const hash = createHash("sha512");
  hash.update(bytes.subarray(0, signature.start)).update(bytes.subarray(next, directory));
  for (const { at, length, start } of entries) {
    if (at === signature.at) continue;
    const record = Buffer.from(bytes.subarray(at, at + length));
    record.writeUInt32LE(start > signature.start ? start - size : start, 42);
    hash.update(record);
  }
  const last = Buffer.from(bytes.subarray(end));
  last.writeUInt16LE(last.readUInt16LE(8) - 1, 8);
  last.writeUInt16LE(last.readUInt16LE(10) - 1, 10);
  last.writeUInt32LE(last.readUInt32LE(12) - signature.length, 12);
  last.writeUInt32LE(directory - size, 16);
  return hash.update(last).digest("base64");
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The records of the directory, which has to end where its end begins. */
function entriesOf(
  bytes: Buffer,
  directory: number,
  end: number,
  count: number,
): readonly Entry[] | undefined {
  const entries: Entry[] = [];
  let at = directory;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) return undefined;
    const named = bytes.readUInt16LE(at + 28);
    const length = 46 + named + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const name = bytes.toString("utf8", at + 46, at + 46 + named);
    entries.push({ name, at, length, start: bytes.readUInt32LE(at + 42) });
    at += length;
  }
  return at === end && entries.every(({ start }) => start + 4 <= directory) ? entries : undefined;
}
