/** A repository of Helm charts over HTTP: an index as `helm repo index` writes it. */
import { once } from "node:events";
import { createServer } from "node:http";
import { closed, urlOf } from "./server.js";

interface PublishedChart {
  readonly created?: string;
  readonly deprecated?: boolean;
  readonly sources?: readonly string[];
}

export interface ChartRepository extends AsyncDisposable {
  readonly url: string;
  publish(name: string, version: string, chart?: PublishedChart): void;
  /** Replaces the index. */
  text: string | undefined;
}

export async function chartRepository(): Promise<ChartRepository> {
  const charts = new Map<string, string[]>();
  const server = createServer((request, response) => {
    if (request.url !== "/charts/index.yaml") response.statusCode = 404;
    else
      response.end(
        repository.text ??
          `apiVersion: v1\nentries:\n${[...charts].map(([name, entries]) => `  ${name}:\n${entries.join("")}`).join("")}generated: "2026-01-01T00:00:00Z"\n`,
      );
    if (!response.writableEnded) response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const repository: ChartRepository = {
    url: `${urlOf(server)}/charts`,
    text: undefined,
    publish: (name, version, chart = {}) => {
      const { created = "2026-01-01T00:00:00.123456789+02:00", deprecated, sources = [] } = chart;
      const entry = [
        "  - annotations:",
        "      category: test",
        "    apiVersion: v2",
        `    created: "${created}"`,
        "    dependencies:",
        "    - name: common",
        "      version: 2.x.x",
        ...(deprecated === true ? ["    deprecated: true"] : []),
        `    description: "größer: ${name}"`,
        `    name: ${name}`,
        ...(sources.length > 0 ? ["    sources:", ...sources.map((url) => `    - ${url}`)] : []),
        "    urls:",
        `    - ${name}-${version}.tgz`,
        `    version: ${version}`,
      ].join("\n");
      charts.set(name, [`${entry}\n`, ...(charts.get(name) ?? [])]);
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
  return repository;
}
