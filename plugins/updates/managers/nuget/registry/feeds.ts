/** Chooses feeds: the instance's, else those of `nuget.config` with its mappings, and nuget.org. */
import { posix } from "node:path";
import { UpdatesError } from "../../../errors.js";
import { descend, readXml, type XmlElement } from "../../../text/xml.js";
import type { ManagerSettings, ProjectSources } from "../../contract.js";
import { named } from "../manifest/files.js";

const PUBLIC: Feed = { key: "nuget.org", url: "https://api.nuget.org/v3/index.json" };

interface Feed {
  readonly key: string;
  readonly url: string;
}

/** A scope is a prefix of whole name segments: `Acme` includes `Acme.Tools`. */
export function feedsOf(
  name: string,
  sources: ProjectSources,
  { registries }: ManagerSettings,
): readonly string[] {
  const [own] = registries
    .filter(
      ({ manager, scope = "" }) =>
        manager === "nuget" &&
        (scope === "" || `${name}.`.toLowerCase().startsWith(`${scope}.`.toLowerCase())),
    )
    .toSorted((a, b) => (b.scope ?? "").length - (a.scope ?? "").length);
  return own ? [own.url] : mapped(name, configured(sources));
}

interface Configuration {
  readonly feeds: readonly Feed[];
  /** With source mapping, a package comes only from the feeds of its longest pattern. */
  readonly patterns: readonly { readonly key: string; readonly pattern: string }[];
}

function mapped(name: string, { feeds, patterns }: Configuration): readonly string[] {
  const urls = (wanted: readonly Feed[]): readonly string[] => [
    ...new Set(wanted.map(({ url }) => url)),
  ];
  // Without a package name: all feeds.
  if (patterns.length === 0 || name === "") return urls(feeds);
  const fitting = patterns.filter(({ pattern }) => isFor(pattern, name.toLowerCase()));
  const longest = Math.max(...fitting.map(({ pattern }) => rank(pattern)));
  const keys = fitting.filter(({ pattern }) => rank(pattern) === longest).map(({ key }) => key);
  return urls(feeds.filter(({ key }) => keys.includes(key)));
}

const isFor = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** An exact name wins over a prefix. */
const rank = (pattern: string): number => (pattern.endsWith("*") ? pattern.length : Infinity);

const known = new WeakMap<ProjectSources["files"], Configuration>();

/** The nearest file counts first; `<clear/>` leaves out what stands above it. */
function configured({ files }: ProjectSources): Configuration {
  const before = known.get(files);
  if (before) return before;
  const feeds = new Map<string, Feed>();
  const disabled = new Set<string>();
  const patterns: Configuration["patterns"][number][] = [];
  const cleared = { feeds: false, patterns: false };
  const configs = [...files.keys()]
    .filter((path) => named(path, "nuget.config"))
    .toSorted((a, b) => posix.dirname(b).length - posix.dirname(a).length);
  for (const file of configs) {
    const root = read(file, files.get(file) ?? "");
    if (!root) continue;
    for (const { key, value } of added(root, "disabledPackageSources"))
      if (value.toLowerCase() === "true") disabled.add(key);
    if (!cleared.feeds)
      for (const { key, value } of added(root, "packageSources"))
        if (!feeds.has(key)) feeds.set(key, { key, url: value });
    if (!cleared.patterns)
      for (const source of descend(root, "configuration", "packageSourceMapping", "packageSource"))
        for (const each of source.children)
          patterns.push({
            key: attribute(source, "key").toLowerCase(),
            pattern: attribute(each, "pattern").toLowerCase(),
          });
    cleared.feeds ||= hasClear(root, "packageSources");
    cleared.patterns ||= hasClear(root, "packageSourceMapping");
  }
  if (!cleared.feeds && !feeds.has(PUBLIC.key)) feeds.set(PUBLIC.key, PUBLIC);
  const usable = [...feeds.values()].filter(({ key, url }) => !disabled.has(key) && isUsable(url));
  const result = { feeds: usable, patterns };
  known.set(files, result);
  return result;
}

/** Feeds of protocol version 3. Their URLs never expand environment variables. */
const isUsable = (url: string): boolean =>
  /^https?:\/\/[^%$]+\/index\.json$/.test(url) && URL.canParse(url);

function read(file: string, text: string): XmlElement | undefined {
  try {
    return readXml(file, text);
  } catch (thrown) {
    if (thrown instanceof UpdatesError) return undefined;
    throw thrown;
  }
}

const attribute = (element: XmlElement, name: string): string =>
  element.attributes.get(name)?.text ?? "";

const added = (root: XmlElement, section: string) =>
  descend(root, "configuration", section, "add").map((element) => ({
    key: attribute(element, "key").toLowerCase(),
    value: attribute(element, "value"),
  }));

const hasClear = (root: XmlElement, section: string): boolean =>
  descend(root, "configuration", section, "clear").length > 0;
