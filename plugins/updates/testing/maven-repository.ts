/** A Maven repository of static files over HTTP, as `mvn deploy` writes them. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Served } from "../../../tests/support/answers.js";
import { closed, urlOf } from "./server.js";

export interface MavenRepository extends AsyncDisposable, Served {
  /** Paths of the requests. */
  readonly requests: readonly string[];
  publish(name: string, version: string, pom?: string): void;
  /** Publishes only in the list of versions. */
  announce(name: string, version: string): void;
  put(path: string, text: string): void;
}

const PUBLISHED = "Thu, 01 Jan 2026 00:00:00 GMT";

export async function mavenRepository(): Promise<MavenRepository> {
  const files = new Map<string, string>();
  const versions = new Map<string, string[]>();
  const requests: string[] = [];
  const server = createServer(({ url = "/", method }, response) => {
    const path = decodeURIComponent(url);
    requests.push(path);
    const body = files.get(path);
    response.writeHead(body === undefined ? 404 : 200, { "last-modified": PUBLISHED });
    response.end(method === "HEAD" ? undefined : body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const announce = (name: string, version: string): void => {
    const [group = "", artifact = ""] = name.split(":");
    const list = [...(versions.get(name) ?? []), version];
    versions.set(name, list);
    const items = list.map((each) => `<version>${each}</version>`).join("");
    files.set(
      `/${group.replaceAll(".", "/")}/${artifact}/maven-metadata.xml`,
      `<?xml version="1.0"?>\n<metadata><groupId>${group}</groupId><artifactId>${artifact}</artifactId><versioning><versions>${items}</versions></versioning></metadata>\n`,
    );
  };
  return {
    url: urlOf(server),
    get published() {
      return [...files];
    },
    requests,
    announce,
    put: (path, text) => files.set(path, text),
    publish: (name, version, pom = "") => {
      announce(name, version);
      const [group = "", artifact = ""] = name.split(":");
      files.set(
        `/${group.replaceAll(".", "/")}/${artifact}/${version}/${artifact}-${version}.pom`,
        `<project><modelVersion>4.0.0</modelVersion><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${pom}</project>`,
      );
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}
