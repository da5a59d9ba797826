/** A NuGet feed of the third version: services, registrations in pages, packages. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { zipSync } from "fflate";
import { type Served, source } from "../../../tests/support/answers.js";
import { closed, urlOf } from "./server.js";

/** Its URL is that of the service index. */
export interface NugetFeed extends AsyncDisposable, Served {
  /** By framework, then by package. Returns the digest for lock files. */
  publish(name: string, version: string, about?: Published): string;
}

export interface Published {
  readonly needs?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly listed?: boolean;
  readonly deprecated?: string;
  readonly published?: string;
  readonly signed?: boolean;
  readonly projectUrl?: string;
  /** Of `runtime.json`: dependencies on some platforms. */
  readonly runtime?: string;
}

/** Dependencies of the framework without a name apply to all. */
function nuspec(name: string, version: string, { needs = {} }: Published): string {
  const groups = Object.entries(needs).map(([framework, packages]) => {
    const list = Object.entries(packages).map(
      ([need, range]) => `<dependency id="${need}" version="${range}" />`,
    );
    const target = framework === "" ? "" : ` targetFramework="${framework}"`;
    return `<group${target}>${list.join("")}</group>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>${name}</id>
    <version>${version}</version>
    <authors>Acme</authors>
    <description>What it is.</description>
    <dependencies>${groups.join("")}</dependencies>
  </metadata>
</package>
`;
}

const DATE = new Date("2026-01-01T00:00:00");
/** Versions in a page. The last page is inline in the index, the others have URLs. */
const PAGE = 3;

export async function nugetFeed({ registrations = true } = {}): Promise<NugetFeed> {
  const versions = new Map<string, { readonly version: string; readonly about: Published }[]>();
  const packages = new Map<string, Buffer>();
  const leaf = (id: string, { version, about }: { version: string; about: Published }) => ({
    catalogEntry: {
      id,
      version,
      listed: about.listed ?? true,
      published: about.published ?? "2026-01-01T00:00:00Z",
      ...(about.projectUrl === undefined ? {} : { projectUrl: about.projectUrl }),
      ...(about.deprecated === undefined ? {} : { deprecation: { message: about.deprecated } }),
      dependencyGroups: Object.entries(about.needs ?? {}).map(([targetFramework, needs]) => ({
        targetFramework,
        dependencies: Object.entries(needs).map(([need, range]) => ({ id: need, range })),
      })),
    },
  });
  const pages = (id: string) => {
    const all = versions.get(id) ?? [];
    return Array.from({ length: Math.ceil(all.length / PAGE) }, (_, index) => {
      const part = all.slice(index * PAGE, (index + 1) * PAGE);
      const page = { lower: part[0]?.version, upper: part.at(-1)?.version };
      return { ...page, items: part.map((each) => leaf(id, each)) };
    });
  };
  const server = createServer(({ url = "/" }, response) => {
    const [, folder = "", id = "", file = ""] = url.split("/");
    const base = urlOf(server);
    const json = (value: unknown) => response.end(JSON.stringify(value));
    if (url === "/index.json")
      return json({
        version: "3.0.0",
        resources: [
          { "@id": `${base}/flat`, "@type": "PackageBaseAddress/3.0.0" },
          ...(registrations
            ? [{ "@id": `${base}/registration/`, "@type": "RegistrationsBaseUrl/3.6.0" }]
            : []),
        ],
      });
    if (folder === "registration" && versions.has(id)) {
      const all = pages(id);
      const page = all[Number(file.replace(/^page-|\.json$/g, ""))];
      if (file !== "index.json") return json(page);
      return json({
        items: all.map((each, index) => ({
          ...(index === all.length - 1 ? each : { lower: each.lower, upper: each.upper }),
          "@id": `${base}/registration/${id}/page-${index}.json`,
        })),
      });
    }
    const content = packages.get(url);
    if (content) return response.end(content);
    if (folder === "flat" && file === "index.json" && versions.has(id))
      return json({ versions: versions.get(id)?.map(({ version }) => version.toLowerCase()) });
    return response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.json`,
    get published() {
      return [source(import.meta.url), registrations, ...versions];
    },
    publish: (name, version, about = {}) => {
      const id = name.toLowerCase();
      versions.set(id, [...(versions.get(id) ?? []), { version, about }]);
      const specification = Buffer.from(nuspec(name, version, about));
      const files = {
        [`${name}.nuspec`]: specification,
        ...(about.runtime === undefined ? {} : { "runtime.json": Buffer.from(about.runtime) }),
      };
      const signature = { ".signature.p7s": Buffer.from("signature") };
      const plain = zipSync(files, { mtime: DATE });
      const content = Buffer.from(
        about.signed ? zipSync({ ...files, ...signature }, { mtime: DATE }) : plain,
      );
      const folder = `/flat/${id}/${version.toLowerCase()}`;
      packages.set(`${folder}/${id}.${version.toLowerCase()}.nupkg`, content);
      if (registrations) packages.set(`${folder}/${id}.nuspec`, specification);
      return createHash("sha512").update(plain).digest("base64");
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}
