/** A registry of made-up packages in a process of its own, every answer rendered beforehand. Prints its address. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** Dependencies follow the packages that have no dependents. */
const PACKAGES = 466;
const DIRECT = 100;
const VERSIONS = 40;

const bodies = new Map<
  string,
  { readonly plain: Buffer; readonly packed: Buffer; readonly etag: string }
>();

function dependenciesOf(index: number): Readonly<Record<string, string>> {
  const first = index < DIRECT ? DIRECT + index * 3 : DIRECT * 4 + Math.floor((index - DIRECT) / 5);
  const count = index < DIRECT ? 3 : 1;
  return Object.fromEntries(
    Array.from({ length: count }, (_, offset) => first + offset)
      .filter((target) => target > index && target < PACKAGES)
      .map((target) => [`package-${target}`, "^1.0.0"]),
  );
}

function render(url: string): void {
  for (let index = 0; index < PACKAGES; index += 1) {
    const name = `package-${index}`;
    const dependencies = dependenciesOf(index);
    const versions = Array.from({ length: VERSIONS }, (_, minor) => {
      const version = `1.${minor}.0`;
      const integrity = `sha512-${createHash("sha512")
        .update(name + version)
        .digest("base64")}`;
      const tarball = `${url}/${name}/-/${name}-${version}.tgz`;
      const shasum = createHash("sha1")
        .update(name + version)
        .digest("hex");
      return [version, { name, version, dependencies, dist: { tarball, integrity, shasum } }];
    });
    const latest = `1.${VERSIONS - 1}.0`;
    const document = { name, "dist-tags": { latest }, versions: Object.fromEntries(versions) };
    const plain = Buffer.from(JSON.stringify(document));
    const etag = `"${createHash("sha1").update(plain).digest("hex")}"`;
    bodies.set(`/${name}`, { plain, packed: gzipSync(plain), etag });
  }
}

const server = createServer((request, response) => {
  const body = bodies.get(request.url ?? "");
  if (!body) return response.writeHead(404).end("{}");
  const { plain, packed, etag } = body;
  if (request.headers["if-none-match"] === etag) return response.writeHead(304).end();
  const gzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  response.setHeader("content-type", "application/json");
  response.setHeader("etag", etag);
  if (gzip) response.setHeader("content-encoding", "gzip");
  return response.end(gzip ? packed : plain);
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  render(url);
  process.stdout.write(`${url}\n`);
});
