/** A real image registry: Debian's package `docker-registry`. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { child } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";

export interface OciRegistry extends AsyncDisposable {
  readonly host: string;
  /** Pushes an image that contains only `note` under all these tags; returns its digest. */
  push(
    repository: string,
    tag: string,
    note?: string,
    more?: readonly string[],
    annotations?: Readonly<Record<string, string>>,
  ): Promise<string>;
}

export async function ociRegistry(): Promise<OciRegistry> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-oci-"));
  const host = `127.0.0.1:${await freePort()}`;
  await writeFile(
    join(directory, "config.yml"),
    `version: 0.1\nlog: { level: error }\nstorage: { filesystem: { rootdirectory: ${join(directory, "data")} } }\nhttp: { addr: "${host}" }\n`,
  );
  const ends: Array<() => unknown> = [];
  const words = ["serve", join(directory, "config.yml")];
  const registry = child({ teardown: (end) => ends.push(end) }, "docker-registry", words);
  const dispose = async () => {
    for (const end of ends) await end();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await eventually("docker-registry answers", async () => {
      if (!registry.isAlive) return "ended";
      return answers(`http://${host}/v2/`);
    });
    if (!registry.isAlive) throw new Error(`docker-registry ended: ${registry.stderr}`);
  } catch (thrown) {
    await dispose();
    throw thrown;
  }
  return {
    host,
    push: async (name, tag, note = tag, more = [], annotations = undefined) => {
      const base = `http://${host}/v2/${name}`;
      const config = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", note }));
      const digest = `sha256:${createHash("sha256").update(config).digest("hex")}`;
      const start = await fetch(`${base}/blobs/uploads/`, { method: "POST" });
      const upload = new URL(start.headers.get("location") ?? "", base);
      upload.searchParams.set("digest", digest);
      await fetch(upload, { method: "PUT", body: config });
      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      const manifest = JSON.stringify({
        schemaVersion: 2,
        mediaType,
        config: {
          mediaType: "application/vnd.oci.image.config.v1+json",
          digest,
          size: config.length,
        },
        layers: [],
        annotations,
      });
      const put = await fetch(`${base}/manifests/${tag}`, {
        method: "PUT",
        headers: { "content-type": mediaType },
        body: manifest,
      });
      if (put.status !== 201) throw new Error(`push got ${put.status}: ${await put.text()}`);
      const pushed = `sha256:${createHash("sha256").update(manifest).digest("hex")}`;
      // Writes further tags in the format of the registry, since a thousand requests are slow.
      const repositories = join(directory, "data/docker/registry/v2/repositories");
      for (const each of more) {
        const tagDirectory = join(repositories, name, "_manifests/tags", each, "current");
        await mkdir(tagDirectory, { recursive: true });
        await writeFile(join(tagDirectory, "link"), pushed);
      }
      return pushed;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
