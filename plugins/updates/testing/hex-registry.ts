/** A Hex registry over HTTP: packages, their archives, and organizations. */
import { once } from "node:events";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { type Served, source } from "../../../tests/support/answers.js";
import { type HexDependency, hexArchive, hexPackage, type PublishedHex } from "./hex-package.js";
import { closed, urlOf } from "./server.js";

export interface HexRegistry extends AsyncDisposable, Served {
  publish(name: string, version: string, needs?: readonly HexDependency[], more?: Publishing): void;
  retire(name: string, version: string, message: string): void;
}

interface Publishing {
  /** For packages of an organization: under `/repos/acme`. */
  readonly organization?: string;
  /** Its build tool. @default mix */
  readonly tools?: readonly string[];
}

/** @param behind its public URL, and the socket it listens on */
export async function hexRegistry(behind?: {
  readonly url: string;
  readonly socket: string;
}): Promise<HexRegistry> {
  const packages = new Map<string, PublishedHex[]>();
  const server = createServer(({ url = "" }, response) => {
    const [, organization, kind, rest = ""] =
      /^(?:\/repos\/([^/]+))?\/(packages|tarballs)\/(.+)$/.exec(url) ?? [];
    const [, name = "", version] =
      kind === "tarballs" ? (/^(\w+)-(.+)\.tar$/.exec(rest) ?? []) : ["", rest];
    const releases = packages.get(keyOf(name, organization));
    const release = releases?.find((one) => one.version === version);
    if (kind === "packages" && releases)
      response.end(gzipSync(hexPackage(name, releases, organization)));
    else if (release) response.end(hexArchive(name, release).bytes);
    else response.writeHead(404).end();
  });
  if (behind) server.listen(behind.socket);
  else server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: behind?.url ?? urlOf(server),
    get published() {
      return [source(import.meta.url), ...packages];
    },
    publish: (name, version, needs = [], { organization, ...more } = {}) => {
      const key = keyOf(name, organization);
      packages.set(key, [...(packages.get(key) ?? []), { version, needs, ...more }]);
    },
    retire: (name, version, message) => {
      const release = packages.get(name)?.find((one) => one.version === version);
      if (release) release.retired = message;
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}

const keyOf = (name: string, organization: string | undefined): string =>
  organization === undefined ? name : `${organization}/${name}`;

/** A mix.lock with these entries, `name version` → dependencies. */
export function mixLock(packages: Readonly<Record<string, readonly HexDependency[]>>): string {
  const lines = Object.entries(packages).map(([whole, needs]) => {
    const [name = "", version = ""] = whole.split(" ");
    const { inner, outer } = hexArchive(name, { version });
    const list = needs.map(
      ({ name: needed, requirement, app = needed, optional = false, repo = "hexpm" }) =>
        `{:${app}, "${requirement}", [hex: :${needed}, repo: "${repo}", optional: ${optional}]}`,
    );
    return `  "${name}": {:hex, :${name}, "${version}", "${inner.toString("hex")}", [:mix], [${list.join(", ")}], "hexpm", "${outer.toString("hex")}"},\n`;
  });
  return `%{\n${lines.join("")}}\n`;
}
