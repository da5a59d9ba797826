/** Versions of charts: from the index of a repository over HTTP, or from the tags of an OCI registry. */
import { parse } from "yaml";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeText } from "../../text/text.js";
import type { Available, Dependency, Release, SourceRepository } from "../contract.js";
import { tagsOf } from "../docker/registry.js";
import { registryUrl } from "../origin.js";
import { repositoryAddress } from "../source.js";

interface ChartVersion {
  readonly version: string;
  readonly published?: number;
  readonly deprecated: boolean;
  readonly source?: string;
}

export async function chartVersions(dependency: Dependency, lookup: Lookup): Promise<Available> {
  const { extra } = dependency;
  if (extra?.repository !== undefined) {
    const tags = await tagsOf(registryUrl(dependency), extra.repository, lookup);
    // A tag cannot have a plus.
    return { releases: tags.map((tag) => ({ version: tag.replace("_", "+") })) };
  }
  const versions = await indexed(dependency, lookup);
  return {
    releases: versions.map(
      ({ version, published, deprecated }): Release => ({
        version,
        ...(published === undefined ? {} : { published }),
        ...(deprecated ? { withdrawn: "deprecated" } : {}),
      }),
    ),
  };
}

export async function chartSource(
  dependency: Dependency,
  { version }: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> {
  if (dependency.extra?.repository !== undefined || dependency.origin.kind !== "registry")
    return undefined;
  const versions = await indexed(dependency, lookup);
  const url = versions.find((each) => each.version === version)?.source;
  return url === undefined ? undefined : { url };
}

async function indexed(dependency: Dependency, lookup: Lookup): Promise<readonly ChartVersion[]> {
  const { name } = dependency;
  const url = registryUrl(dependency);
  const found = await lookup.fetch<readonly ChartVersion[] | "unknown">({
    url: `${url}/index.yaml`,
    purpose: `chart ${name}`,
    digest: ({ body }) => {
      const entries = chartEntries(decodeText(body), name);
      return entries === undefined ? "unknown" : entries.flatMap(chartVersion);
    },
  });
  if (found !== "unknown") return found;
  throw new UpdatesError("package_unknown", `${url} has no chart ${name}.`);
}

function chartVersion(entry: unknown): readonly ChartVersion[] {
  const { version, created, deprecated, home, sources } = (entry ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof version !== "string") return [];
  const published = Date.parse(String(created ?? ""));
  const source = [...(Array.isArray(sources) ? sources : []), home]
    .filter((address) => typeof address === "string" && /^(https?|git)/.test(address))
    .map((address) => repositoryAddress(String(address).replace(/\/(tree|blob)\/.*$/, "")))
    .find((address) => /^https:\/\/[^/]+\/[^/]+\/[^/]+$/.test(address ?? ""));
  return [
    {
      version,
      deprecated: deprecated === true,
      ...(Number.isNaN(published) ? {} : { published }),
      ...(source === undefined ? {} : { source }),
    },
  ];
}

/** The entries of a chart. Indexes have megabytes, so that only the lines of the chart are read as YAML. */
export function chartEntries(text: string, name: string): readonly unknown[] | undefined {
  const lines = linesOf(text, name);
  if (lines === "absent") return undefined;
  const read = lines === undefined ? entriesIn(parse(text)) : { [name]: parse(lines) as unknown };
  const found = Object.hasOwn(read, name) ? read[name] : undefined;
  return Array.isArray(found) ? found : undefined;
}

function entriesIn(index: unknown): Readonly<Record<string, unknown>> {
  const { entries } = (index ?? {}) as { readonly entries?: unknown };
  if (typeof entries !== "object" || entries === null) throw new Error("no entries in it");
  return entries as Readonly<Record<string, unknown>>;
}

/** The lines below the chart's name; undefined for an index in another layout than Helm writes. */
function linesOf(text: string, name: string): string | "absent" | undefined {
  const start = /^entries:[ \t]*\r?\n( +)(?=[\w"'])/m.exec(text);
  if (!start) return undefined;
  const [, indent = ""] = start;
  const quoted = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const key = new RegExp(`^${indent}(["']?)${quoted}\\1:[ \\t]*\\r?\\n`, "gm");
  key.lastIndex = start.index;
  const found = key.exec(text);
  if (!found) return "absent";
  // The next key is as deep or less; items may be as deep as their key.
  const next = new RegExp(`^ {0,${indent.length}}[^\\s-]`, "gm");
  next.lastIndex = found.index + found[0].length;
  const end = next.exec(text)?.index ?? text.length;
  return text.slice(found.index + found[0].length, end);
}
