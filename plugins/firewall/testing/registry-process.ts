/**
 * An image registry with one image, on port 5000 of the engine's network. Arguments: the root as a tar archive, and
 * the login (`user:password`, or nothing for public access). Images named `slow` never get a response. Reports to the
 * test by IPC.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

const [root = "", login = ""] = process.argv.slice(2);
const archive = readFileSync(root);
const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const layer = gzipSync(archive);
const architecture = process.arch === "x64" ? "amd64" : process.arch;
const configuration = Buffer.from(
  JSON.stringify({
    architecture,
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: [digestOf(archive)] },
  }),
);
const manifestType = "application/vnd.docker.distribution.manifest.v2+json";
const manifest = Buffer.from(
  JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: {
      mediaType: "application/vnd.docker.container.image.v1+json",
      size: configuration.length,
      digest: digestOf(configuration),
    },
    layers: [
      {
        mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
        size: layer.length,
        digest: digestOf(layer),
      },
    ],
  }),
);
const blobs = new Map([layer, configuration].map((bytes) => [digestOf(bytes), bytes]));
const expected = `Basic ${Buffer.from(login).toString("base64")}`;

const server = createServer((request, response) => {
  const { url = "/", headers, method } = request;
  if (url.startsWith("/v2/slow/")) {
    process.send?.("asked");
    return;
  }
  if (login !== "" && headers.authorization !== expected) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
    return;
  }
  const blob = blobs.get(url.split("/blobs/")[1] ?? "");
  const [body, type] = url.includes("/manifests/")
    ? [manifest, manifestType]
    : [url === "/v2/" ? Buffer.from("{}") : blob, "application/octet-stream"];
  if (!body) return void response.writeHead(404).end();
  response.writeHead(200, {
    "content-type": type,
    "content-length": body.length,
    "docker-content-digest": digestOf(body),
  });
  response.end(method === "HEAD" ? undefined : body);
});
server.listen(5000, "127.0.0.1", () => process.send?.("ready"));
process.on("disconnect", () => process.exit(0));
