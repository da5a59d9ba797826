/** Reads a package from a Hex registry: a signed, compressed message in protocol buffers. */

import { createHash, createPublicKey, verify } from "node:crypto";
import { gunzipSync } from "node:zlib";
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
import type { HexNeed } from "./lockfile/read.js";

export const PUBLIC = "https://repo.hex.pm";
const API = "https://hex.pm/api";

export interface HexRelease {
  readonly version: string;
  /** SHA-256 of the contents and of the package, in hexadecimal. */
  readonly inner: string;
  readonly outer: string;
  /** `repo` is empty for the package's own repository. */
  readonly needs: readonly HexNeed[];
  /** Why it is retired. */
  readonly retired?: string;
}

const REASONS = [
  "for reasons of its own",
  "it is invalid",
  "for security",
  "it is deprecated",
  "it was renamed",
];

/** @throws UpdatesError as `Lookup.fetch` */
export const hexReleases = (
  url: string,
  name: string,
  lookup: Lookup,
): Promise<readonly HexRelease[]> =>
  lookup.fetch<readonly HexRelease[]>({
    url: `${url}/packages/${encodeURIComponent(name)}`,
    purpose: "releases",
    digest: ({ body }) => {
      const packed = body[0] === 0x1f && body[1] === 0x8b;
      const payload = payloadOf(
        packed ? gunzipSync(body, { maxOutputLength: 64 << 20 }) : body,
        `${url}/`.startsWith(`${PUBLIC}/`) ? PUBLIC_KEY : undefined,
      );
      const about = protobufFields(payload);
      const [said] = about.bytes(2);
      if (said && decodeText(said) !== name) throw new Error("it is about another package");
      return about.bytes(1).map(releaseIn);
    },
  });

interface HexArchive {
  /** SHA-256 of the whole package, in hexadecimal. */
  readonly outer: string;
  /** Its build tools; undefined where it does not list them. */
  readonly tools: readonly string[] | undefined;
}

/** The archive of a release, which has more than the registry's message. @throws UpdatesError as `Lookup.fetch` */
export const hexArchive = (
  url: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<HexArchive> =>
  lookup.fetch<HexArchive>({
    url: `${url}/tarballs/${encodeURIComponent(name)}-${encodeURIComponent(version)}.tar`,
    purpose: "archive",
    digest: ({ body }) => {
      const outer = createHash("sha256").update(body).digest("hex");
      const metadata = fileInTar(body, "metadata.config");
      const [, list] = /^\{<<"build_tools">>,\s*\[([^\]]*)\]\}\./m.exec(metadata) ?? [];
      const tools = list && [...list.matchAll(/<<"([^"]*)"/g)].map(([, tool = ""]) => tool);
      return { outer, tools: tools || undefined };
    },
  });

/** An archive without compression, whose few files have short names. */
function fileInTar(bytes: Uint8Array, name: string): string {
  for (let at = 0; at + 512 <= bytes.length; ) {
    const text = (start: number, length: number): string =>
      decodeText(bytes.subarray(at + start, at + start + length)).replace(/\0[\s\S]*$/, "");
    const size = Number.parseInt(text(124, 12), 8);
    if (Number.isNaN(size)) break;
    if (text(0, 100) === name) return decodeText(bytes.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`it has no ${name}`);
}

function releaseIn(bytes: Uint8Array): HexRelease {
  const fields = protobufFields(bytes);
  const hexadecimal = (field: number): string =>
    Buffer.from(fields.bytes(field)[0] ?? []).toString("hex");
  const [retirement] = fields.bytes(4);
  return {
    version: decodeText(fields.bytes(1)[0]),
    inner: hexadecimal(2),
    outer: hexadecimal(5),
    needs: fields.bytes(3).map(needIn),
    ...(retirement ? { retired: retiredBy(retirement) } : {}),
  };
}

function retiredBy(bytes: Uint8Array): string {
  const fields = protobufFields(bytes);
  return (
    decodeText(fields.bytes(2)[0]) || `retired, ${REASONS[fields.numbers(1)[0] ?? 0] ?? REASONS[0]}`
  );
}

function needIn(bytes: Uint8Array): HexNeed {
  const fields = protobufFields(bytes);
  const name = decodeText(fields.bytes(1)[0]);
  return {
    app: decodeText(fields.bytes(4)[0]) || name,
    name,
    requirement: decodeText(fields.bytes(2)[0]),
    optional: fields.numbers(3)[0] === 1,
    repo: decodeText(fields.bytes(5)[0]),
  };
}

export async function hexAvailable(
  { name, origin }: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
): Promise<Available> {
  const registry = registryUrl({ name, origin });
  const all = await hexReleases(registry, name, lookup);
  const published = dates && registry === PUBLIC ? (await aboutOf(name, lookup)).dates : {};
  return {
    releases: all.map(({ version, retired }): Release => {
      const date = published[version];
      return {
        version,
        ...(retired === undefined ? {} : { withdrawn: retired }),
        ...(date === undefined ? {} : { published: date }),
      };
    }),
  };
}

interface About {
  readonly dates: Readonly<Record<string, number>>;
  readonly links: readonly string[];
}

/** Only the public registry has an API at a known address. */
const aboutOf = (name: string, lookup: Lookup): Promise<About> =>
  lookup.fetch<About>({
    url: `${API}/packages/${encodeURIComponent(name)}`,
    accept: "application/json",
    purpose: "about",
    digest: ({ body }) => {
      const { releases, meta } = decodeJsonBody(body) as {
        readonly releases?: readonly { readonly version: string; readonly inserted_at: string }[];
        readonly meta?: { readonly links?: Readonly<Record<string, unknown>> };
      };
      const dates = (releases ?? []).map(
        ({ version, inserted_at }) => [version, Date.parse(inserted_at)] as const,
      );
      return {
        dates: Object.fromEntries(dates.filter(([, date]) => !Number.isNaN(date))),
        links: Object.values(meta?.links ?? {}).filter(
          (link): link is string => typeof link === "string",
        ),
      };
    },
  });

export async function hexSource(
  { name, origin }: Dependency,
  _release: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> {
  if (origin.kind !== "registry" || origin.url !== PUBLIC) return undefined;
  const { links } = await aboutOf(name, lookup);
  for (const link of links) {
    const url = /^https?:\/\/(github|gitlab|codeberg|bitbucket)\./.test(link)
      ? repositoryAddress(link)
      : undefined;
    if (url !== undefined) return { url };
  }
  return undefined;
}

/** The public key of the public registry. */
const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApqREcFDt5vV21JVe2QNB
Edvzk6w36aNFhVGWN5toNJRjRJ6m4hIuG4KaXtDWVLjnvct6MYMfqhC79HAGwyF+
IqR6Q6a5bbFSsImgBJwz1oadoVKD6ZNetAuCIK84cjMrEFRkELtEIPNHblCzUkkM
3rS9+DPlnfG8hBvGi6tvQIuZmXGCxF/73hU0/MyGhbmEjIKRtG6b0sJYKelRLTPW
XgK7s5pESgiwf2YC/2MGDXjAJfpfCd0RpLdvd4eRiXtVlE9qO9bND94E7PgQ/xqZ
J1i2xWFndWa6nfFnRxZmCStCOZWYYPlaxr+FZceFbpMwzTNs4g3d4tLNUcbKAIH4
0wIDAQAB
-----END PUBLIC KEY-----
`;

/** Without a key, TLS alone protects the message. @throws Error for what the key did not sign */
export function payloadOf(message: Uint8Array, key: string | undefined): Uint8Array {
  const signed = protobufFields(message);
  const payload = signed.bytes(1)[0] ?? new Uint8Array();
  const signature = signed.bytes(2)[0] ?? new Uint8Array();
  if (key !== undefined && !verify("sha512", payload, createPublicKey(key), signature))
    throw new Error("it is not signed by the registry");
  return payload;
}

interface Fields {
  /** All values of a field of bytes, texts and messages. */
  bytes(field: number): readonly Uint8Array[];
  numbers(field: number): readonly number[];
}

/** @throws Error for what is no such message */
function protobufFields(message: Uint8Array): Fields {
  const bytes = new Map<number, Uint8Array[]>();
  const numbers = new Map<number, number[]>();
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = message[at];
      if (byte === undefined) throw new Error("It ends too early.");
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error("A number is too long.");
  };
  while (at < message.length) {
    const tag = number();
    const field = Math.floor(tag / 8);
    const kind = tag % 8;
    if (kind === 0) numbers.set(field, [...(numbers.get(field) ?? []), number()]);
    else if (kind === 1 || kind === 5) at += kind === 1 ? 8 : 4;
    else if (kind === 2) {
      const length = number();
      if (at + length > message.length) throw new Error("It ends too early.");
      const list = bytes.get(field) ?? [];
      bytes.set(field, list);
      list.push(message.subarray(at, at + length));
      at += length;
    } else throw new Error(`Fields of kind ${kind} are not read.`);
  }
  return {
    bytes: (field) => bytes.get(field) ?? [],
    numbers: (field) => numbers.get(field) ?? [],
  };
}

const decodeText = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
