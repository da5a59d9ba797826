/** A registry with Terraform's protocols: discovery, providers with archives and checksums, modules. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { zipSync } from "fflate";
import { closed, urlOf } from "./server.js";

export interface TerraformRegistry extends AsyncDisposable {
  readonly url: string;
  provider(path: string, version: string): void;
  module(path: string, version: string): void;
  /** The lock file lines of a version: content hashes for these platforms, archive hashes for all. */
  hashes(path: string, version: string, contents: readonly string[]): readonly string[];
}

const program = (path: string): string => `terraform-provider-${path.split("/").at(-1)}`;

const PLATFORMS = ["darwin_arm64", "linux_amd64", "windows_amd64"];

export async function terraformRegistry(): Promise<TerraformRegistry> {
  const providers = new Map<string, string[]>();
  const modules = new Map<string, string[]>();
  const files = new Map<string, Buffer>();
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  files.set(
    "/.well-known/terraform.json",
    json({ "providers.v1": "/api/providers/", "modules.v1": "/api/modules/" }),
  );
  const server = createServer((request, response) => {
    const body = files.get(request.url ?? "");
    response.writeHead(body ? 200 : 404).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = urlOf(server);
  const sha256 = (body: Uint8Array): string => createHash("sha256").update(body).digest("hex");
  const content = (path: string, version: string, platform: string): Record<string, Buffer> => ({
    [`${program(path)}_v${version}`]: Buffer.from(`${path} ${version} ${platform}`),
    LICENSE: Buffer.from("free"),
  });
  const sums = (path: string, version: string): string =>
    files.get(`/files/${path}/${version}/SHA256SUMS`)?.toString() ?? "";
  return {
    url,
    provider: (path, version) => {
      providers.set(path, [...(providers.get(path) ?? []), version]);
      const platforms = PLATFORMS.map((each) => each.split("_")).map(([os, arch]) => ({
        os,
        arch,
      }));
      const versions = (providers.get(path) ?? []).map((each) => ({
        version: each,
        protocols: ["5.0"],
        platforms,
      }));
      files.set(`/api/providers/${path}/versions`, json({ versions }));
      const base = `/files/${path}/${version}`;
      const lines = PLATFORMS.map((platform) => {
        const name = `${program(path)}_${version}_${platform}.zip`;
        const zip = Buffer.from(zipSync(content(path, version, platform)));
        files.set(`${base}/${name}`, zip);
        files.set(
          `/api/providers/${path}/${version}/download/${platform.replace("_", "/")}`,
          json({
            filename: name,
            download_url: `${base}/${name}`,
            shasums_url: `${url}${base}/SHA256SUMS`,
            shasum: sha256(zip),
          }),
        );
        return `${sha256(zip)}  ${name}\n`;
      });
      const manifest = `${sha256(Buffer.from(version))}  ${program(path)}_${version}_manifest.json\n`;
      files.set(`${base}/SHA256SUMS`, Buffer.from(lines.join("") + manifest));
    },
    module: (path, version) => {
      modules.set(path, [...(modules.get(path) ?? []), version]);
      const versions = (modules.get(path) ?? []).map((each) => ({ version: each }));
      files.set(`/api/modules/${path}/versions`, json({ modules: [{ versions }] }));
    },
    hashes: (path, version, contents) => {
      const archived = sums(path, version).matchAll(/^[0-9a-f]{64}/gm);
      const inside = contents.map((platform) => {
        const parts = Object.entries(content(path, version, platform)).toSorted(([a], [b]) =>
          a < b ? -1 : 1,
        );
        const text = parts.map(([name, body]) => `${sha256(body)}  ${name}\n`).join("");
        return `h1:${createHash("sha256").update(text).digest("base64")}`;
      });
      return [...inside, ...[...archived].map(([sum]) => `zh:${sum}`)].toSorted();
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}

/** One entry of `.terraform.lock.hcl`, as Terraform writes it. */
export const lockEntry = (
  address: string,
  version: string,
  constraints: string,
  hashes: readonly string[],
): string =>
  `provider "${address}" {\n  version     = "${version}"\n  constraints = "${constraints}"\n  hashes = [\n${hashes.map((hash) => `    "${hash}",\n`).join("")}  ]\n}\n`;

export const LOCK_HEAD = `# This file is maintained automatically by "terraform init".\n# Manual edits may be lost in future updates.\n\n`;
