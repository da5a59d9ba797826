/** Which feeds are asked: what the instance says, else what `nuget.config` names, and nuget.org. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Settings, Sources } from "../contract.js";
import { descend, readXml } from "../xml.js";
import { named } from "./files.js";

const PUBLIC = "https://api.nuget.org/v3/index.json";

/** A scope is the beginning of a name, in whole parts: `Acme` is also for `Acme.Tools`. */
export function feedsOf(
  name: string,
  sources: Sources,
  { registries }: Settings,
): readonly string[] {
  const [own] = registries
    .filter(
      ({ manager, scope = "" }) =>
        manager === "nuget" &&
        (scope === "" || `${name}.`.toLowerCase().startsWith(`${scope}.`.toLowerCase())),
    )
    .toSorted((a, b) => (b.scope ?? "").length - (a.scope ?? "").length);
  return own ? [own.url] : configured(sources);
}

/** The nearest file counts first; `<clear/>` leaves out what stands above it. */
const known = new WeakMap<Sources["files"], readonly string[]>();

function configured({ files }: Sources): readonly string[] {
  const before = known.get(files);
  if (before) return before;
  const feeds: string[] = [];
  const configs = [...files.keys()]
    .filter((path) => named(path, "nuget.config"))
    .toSorted((a, b) => posix.dirname(b).length - posix.dirname(a).length);
  let cleared = false;
  for (const file of configs) {
    if (cleared) break;
    const sources = sourcesIn(file, files.get(file) ?? "");
    feeds.push(...sources.urls);
    cleared = sources.cleared;
  }
  const urls = [...new Set(cleared && feeds.length > 0 ? feeds : [...feeds, PUBLIC])];
  known.set(files, urls);
  return urls;
}

/** Only feeds of the third version; nothing of the environment is put into their addresses. */
function sourcesIn(file: string, text: string) {
  try {
    const [list] = descend(readXml(file, text), "configuration", "packageSources");
    const urls = (list?.children ?? [])
      .filter(({ name }) => name === "add")
      .map(({ attributes }) => attributes.get("value")?.text ?? "")
      .filter((url) => /^https?:\/\/[^%$]+\/index\.json$/.test(url) && URL.canParse(url));
    return { urls, cleared: list?.children.some(({ name }) => name === "clear") ?? false };
  } catch (thrown) {
    if (thrown instanceof UpdatesError) return { urls: [], cleared: false };
    throw thrown;
  }
}
