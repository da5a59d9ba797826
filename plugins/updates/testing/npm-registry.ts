/** A small npm registry over HTTP: packuments with ETags, tarballs with correct checksums, and a request log. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closed, urlOf } from "./server.js";
import { tarball } from "./tarball.js";

interface PackageVersion {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node: string };
  readonly deprecated?: string;
  readonly repository?: { readonly url: string; readonly directory?: string };
  readonly bin?: Readonly<Record<string, string>>;
}

export type Packages = Readonly<Record<string, Readonly<Record<string, PackageVersion>>>>;

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  /** `GET /foo 200`, in order. */
  readonly log: string[];
  /** What is published, without the packages that have a content of their own. */
  readonly published: readonly string[];
  publish(name: string, version: string, about?: PackageVersion): void;
  /** A package with this content. */
  publishPacked(name: string, version: string, bytes: Buffer, about?: PackageVersion): void;
  /** The credential that requests need from now on. */
  authorization: string | undefined;
  /** Replaces every response until it returns undefined. */
  interrupt(answer: ((request: IncomingMessage) => Interruption | undefined) | undefined): void;
}
interface Interruption {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Listens on a UNIX socket; a proxy forwards requests for `url` to it. */
interface Behind {
  readonly socket: string;
  readonly url: string;
}

interface Sums {
  readonly shasum: string;
  readonly integrity: string;
}

/** A package manager has a hundred megabytes, and many requests are about it. */
const sums = new WeakMap<Buffer, Sums>();

function sumsOf(bytes: Buffer): Sums {
  const found = sums.get(bytes) ?? {
    shasum: createHash("sha1").update(bytes).digest("hex"),
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
  };
  sums.set(bytes, found);
  return found;
}

export async function npmRegistry(initial: Packages, behind?: Behind): Promise<NpmRegistry> {
  const packages = new Map<string, Map<string, PackageVersion>>();
  const log: string[] = [];
  let interruption: ((request: IncomingMessage) => Interruption | undefined) | undefined;
  let url = "";
  for (const [name, versions] of Object.entries(initial))
    packages.set(name, new Map(Object.entries(versions)));

  const contents = new Map<string, Buffer>();
  const packed = (name: string, version: string): Buffer => {
    const content = contents.get(`${name}@${version}`);
    if (content) return content;
    const about = packages.get(name)?.get(version) ?? {};
    return tarball({ "package.json": JSON.stringify({ name, version, ...about }) });
  };
  const document = (name: string, version: string, about: PackageVersion): object => {
    const bytes = packed(name, version);
    const dist = {
      tarball: `${url}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`,
      ...sumsOf(bytes),
    };
    return { name, version, ...about, dist };
  };
  const packument = (name: string, versions: ReadonlyMap<string, PackageVersion>): string => {
    const documents = [...versions].map(
      ([version, about]) => [version, document(name, version, about)] as const,
    );
    const latest = [...versions.keys()].findLast((version) => !version.includes("-"));
    return JSON.stringify({
      name,
      "dist-tags": { latest: latest ?? [...versions.keys()].at(-1) },
      versions: Object.fromEntries(documents),
      modified: "2026-01-01T00:00:00.000Z",
    });
  };

  function answer(request: IncomingMessage): Interruption & { readonly bytes?: Buffer } {
    const instead = interruption?.(request);
    if (instead) return instead;
    const { authorization } = registry;
    if (authorization !== undefined && request.headers.authorization !== authorization)
      return { status: 401, body: '{"error":"Unauthorized"}' };
    const path = decodeURIComponent(new URL(request.url ?? "/", url).pathname).slice(1);
    const [, name = "", version = ""] = /^(.+)\/-\/.+?-(\d[^/]*)\.tgz$/.exec(path) ?? [];
    if (name !== "") return { status: 200, bytes: packed(name, version) };
    const [, about = "", exact = ""] = /^((?:@[^/]+\/)?[^/@]+)\/(\d[^/]*)$/.exec(path) ?? [];
    const one = packages.get(about)?.get(exact);
    if (one) return { status: 200, body: JSON.stringify(document(about, exact, one)) };
    const versions = packages.get(path);
    if (!versions) return { status: 404, body: '{"error":"Not found"}' };
    const body = packument(path, versions);
    const etag = `"${createHash("sha1").update(body).digest("hex")}"`;
    if (request.headers["if-none-match"] === etag) return { status: 304, headers: { etag } };
    return { status: 200, body, headers: { etag, "content-type": "application/json" } };
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { status, headers = {}, body = "", bytes } = answer(request);
    log.push(`${request.method} ${decodeURIComponent(request.url ?? "")} ${status}`);
    response.writeHead(status, headers).end(bytes ?? body);
  });
  if (behind) server.listen(behind.socket);
  else server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = behind?.url ?? urlOf(server);

  const publish: NpmRegistry["publish"] = (name, version, about = {}) => {
    const versions = packages.get(name) ?? new Map<string, PackageVersion>();
    packages.set(name, versions.set(version, about));
  };
  const registry: NpmRegistry = {
    url,
    log,
    get published() {
      const own = [...contents.keys()].map((each) => each.slice(0, each.lastIndexOf("@")));
      return [...packages]
        .filter(([name]) => !own.includes(name))
        .map(([name, versions]) => packument(name, versions));
    },
    authorization: undefined,
    publish,
    publishPacked: (name, version, bytes, about) => {
      contents.set(`${name}@${version}`, bytes);
      publish(name, version, about);
    },
    interrupt: (instead) => {
      interruption = instead;
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
  return registry;
}
