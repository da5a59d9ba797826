/** New versions into go.mod, their checksums into go.sum; Go itself where new modules come in. */
import { posix } from "node:path";
import { replaced } from "../../text/text.js";
import type {
  LockOutcome,
  ManagerSettings,
  ProjectSources,
  RepositoryPath,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { readGoMod } from "./gomod.js";
import { moduleFiles, PUBLIC_PROXY, proxyFor, sumFile } from "./parse.js";
import { type ProxyOf, settle } from "./settle.js";
import { readSums, writeSums } from "./sums.js";
import { tidiedByGo } from "./tool.js";

/** @throws UpdatesError `does_not_resolve`, `lock_failed` */
export async function goUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { sources, settings, changes } = request;
  const files = new Map<RepositoryPath, string>();
  const outcomes: LockOutcome[] = [];
  for (const file of moduleFiles(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    const own = wantedHere(text, changes);
    if (own.size === 0) continue;
    const outcome = await updateModule(file, text, own, { sources, settings, tools });
    for (const [path, content] of outcome.files) files.set(path, content);
    outcomes.push(outcome.lock);
  }
  const changed = [...files].filter(([path, text]) => text !== sources.files.get(path));
  const lock = outcomes.find(({ kind }) => kind === "stale") ?? outcomes[0] ?? { kind: "absent" };
  return { files: new Map(changed), submodules: new Map(), lock };
}

/** What this go.mod requires of what changes. */
function wantedHere(text: string, changes: readonly VersionChange[]): ReadonlyMap<string, string> {
  const required = new Set(readGoMod(text).requirements.map(({ path }) => path));
  return new Map(
    changes
      .filter(({ dependency }) => required.has(dependency.name))
      .map(({ dependency, to }) => [dependency.name, to.version]),
  );
}

interface Around {
  readonly sources: ProjectSources;
  readonly settings: ManagerSettings;
  readonly tools: Tools;
}

async function updateModule(
  file: RepositoryPath,
  text: string,
  wanted: ReadonlyMap<string, string>,
  { sources, settings, tools }: Around,
): Promise<Pick<UpdateEdit, "files" | "lock">> {
  const main = readGoMod(text);
  const oldSums = sources.files.get(sumFile(file));
  const sums = oldSums === undefined ? undefined : readSums(oldSums);
  const proxyOf: ProxyOf = (module) => proxyFor(module, settings);
  const settled = await settle(main, wanted, sums, proxyOf, tools.lookup);
  const edited = replaced(
    text,
    main.requirements.flatMap(({ path, version, range }) => {
      const next = settled.raised.get(path);
      return next === undefined || next === version ? [] : [{ range, text: next }];
    }),
  );
  const manifests = new Map([[file, edited]]);
  if (settled.added.length > 0) {
    const proxies = [...new Set(main.requirements.map(({ path }) => proxyOf(path)))];
    const isPublic = proxies.every((proxy) => proxy === PUBLIC_PROXY);
    const tidied = await tidiedByGo({ file, edited, wanted, sources, tools, proxies, isPublic });
    return tidied ?? { files: manifests, lock: stale(file, settled.added) };
  }
  if (sources.files.has(posix.join(posix.dirname(file), "vendor/modules.txt")))
    return {
      files: manifests,
      lock: { kind: "stale", note: "The vendor directory is not refreshed: run `go mod vendor`." },
    };
  if (oldSums === undefined) return { files: manifests, lock: { kind: "absent" } };
  const newSums = writeSums(new Map([...(sums ?? []), ...settled.sums]));
  const styled = oldSums.includes("\r\n") ? newSums.replaceAll("\n", "\r\n") : newSums;
  return {
    files: new Map([...manifests, [sumFile(file), styled]]),
    lock: { kind: "refreshed", tier: "in_process", by: "minimal version selection" },
  };
}

const stale = (file: RepositoryPath, added: readonly string[]): LockOutcome => ({
  kind: "stale",
  note: `${file} may need new modules (${added.slice(0, 3).join(", ")}), which Go alone can tell: run \`go mod tidy\`.`,
});
