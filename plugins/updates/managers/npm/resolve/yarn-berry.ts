/** Refreshes yarn.lock with the repository's Yarn 2 or later. Neither scripts nor plugins run. */
import { posix } from "node:path";
import semver from "semver";
import type { FileTexts, VersionChange } from "../../contract.js";
import type { RefreshedLock } from "../../lock/contract.js";
import { LockFallback } from "../../lock/refresh.js";
import { lastErrorLine, type ToolResult } from "../../lock/tool.js";
import { insideOf, within } from "../../paths.js";
import { yarnLockVersions } from "../lockfile/versions.js";
import { registriesInUse } from "../registry/registries.js";
import { packageTool, wantedTool } from "../tool/package-tool.js";
import {
  directChanges,
  indirectChanges,
  loginsFor,
  type NpmLockChange,
  patches,
  refreshedByTool,
  type ToolStep,
} from "../tool/run.js";
import { berrySettings, foreignPlugins, ownSettings } from "../tool/yarn-settings.js";

export async function refreshYarnBerry(change: NpmLockChange): Promise<RefreshedLock> {
  const { request, tools, file, files } = change;
  const { sources, settings, changes } = request;
  const format = formatOf(files.get(file) ?? "");
  const wanted = wantedTool(sources, "yarn", format);
  if (!wanted) throw new LockFallback("no known Yarn writes its format");
  const own = berrySettings(sources);
  const [plugin] = foreignPlugins(own);
  if (plugin !== undefined && !settings.unsafe?.includes("npm_and_yarn"))
    throw new LockFallback(`the plugin ${plugin} is code of the repository, which is not run`);
  const tool = await packageTool(wanted, request, tools);
  const registries = registriesInUse({ ...sources, files }, settings);
  const rc = ownSettings(own, {
    version: tool.version,
    registries,
    credentials: loginsFor(registries, tools.credentials),
    globalFolder: "./.reeve-home/yarn",
    ...(plugin === undefined ? {} : { plugins: own.plugins }),
  });
  const more: FileTexts = new Map([
    ...(await patches(change)),
    ...(plugin === undefined ? [] : await plugins(change)),
    [".yarnrc.yml", rc],
  ]);
  const args = ["install", "--mode=update-lockfile", "--json"];
  const direct = directChanges(changes);
  const steps: ToolStep[] = [
    ...(direct.length > 0 ? [{ manifests: "pinned" as const, args }] : []),
    {
      manifests: "edited" as const,
      args,
      rewrite: (lock) => without(indirectChanges(changes), moved(direct, lock)),
    },
  ];
  const refreshed = await refreshedByTool({
    change,
    tool,
    command: "yarn",
    steps,
    more,
    env: () => ({ YARN_IGNORE_PATH: "1", YARN_ENABLE_IMMUTABLE_INSTALLS: "0" }),
    problemIn,
    read: yarnLockVersions,
  });
  const after = formatOf(refreshed.text);
  if (!wanted.named && after !== format)
    throw new LockFallback(`Yarn ${tool.version} writes format ${after}, not ${format}`);
  return refreshed;
}

const formatOf = (lock: string): string =>
  /^__metadata:\r?\n {2}version: *(\d+)/m.exec(lock)?.[1] ?? "";

/** Blocks of the file, separated by empty lines. */
const blocksOf = (lock: string): readonly string[] => lock.split(/\n\n(?=["?])/);

const KEY = /^(?:\? )?"([^"\n]+)"(?::|\n:)/;

/** Assigns the resolution of the exact versions to the requirements that replace them. */
function moved(changes: readonly VersionChange[], lock: string): string {
  const added = new Map<string, readonly string[]>();
  for (const { dependency, requirements, to } of changes) {
    const { name } = dependency;
    for (const [index, { extra, requirement }] of dependency.declarations.entries()) {
      const declared = extra?.declaredAs ?? name;
      const alias = declared === name ? "" : `${name}@`;
      const exact = `${declared}@npm:${alias}${to.version}`;
      const range = `${declared}@npm:${alias}${requirements[index] ?? requirement}`;
      added.set(exact, [...(added.get(exact) ?? []), range]);
    }
  }
  const ranges = new Set([...added.values()].flat());
  return blocksOf(lock)
    .flatMap((block) => {
      const [, keys] = KEY.exec(block) ?? [];
      if (keys === undefined) return [block];
      const all = keys.split(", ");
      const now = [
        ...all.filter((key) => !ranges.has(key)),
        ...all.flatMap((key) => added.get(key) ?? []),
      ];
      // Entries without a remaining range are removed.
      return now.length === 0 ? [] : [block.replace(KEY, `"${[...new Set(now)].join(", ")}":`)];
    })
    .join("\n\n");
}

/** Removes entries of transitive packages, so that Yarn resolves them to the newest allowed version. */
const without = (changes: readonly VersionChange[], lock: string): string =>
  blocksOf(lock)
    .filter((entry) => {
      const [, name, version] = /^ {2}resolution: "(@?[^@"]+)@npm:([^"]+)"/m.exec(entry) ?? [];
      return !changes.some(
        ({ dependency, to }) =>
          dependency.name === name &&
          version !== undefined &&
          semver.valid(version) !== null &&
          semver.lt(version, to.version),
      );
    })
    .join("\n\n");

/** Only if the instance allows it. */
async function plugins({ request, tools }: NpmLockChange): Promise<FileTexts> {
  const { tree, directory } = request.sources;
  const folder = within(directory, ".yarn/plugins/");
  const found = tree.filter(({ path, kind }) => kind === "file" && path.startsWith(folder));
  const texts = (await tools.read?.(found.map(({ path }) => path))) ?? new Map<string, string>();
  return new Map(
    [...texts].map(([path, text]) => [posix.relative(insideOf(directory), path), text]),
  );
}

/** Error codes: no candidates, no allowed candidate. */
const UNRESOLVABLE = new Set(["YN0016", "YN0082"]);

function problemIn(result: ToolResult): { why: string; unresolvable: boolean } {
  const errors = result.stdout.split("\n").flatMap((line) => {
    try {
      const { type, displayName, data } = JSON.parse(line) as Record<string, string>;
      return type === "error" ? [{ code: displayName ?? "", why: data ?? "" }] : [];
    } catch {
      return [];
    }
  });
  const [first] = errors;
  return first
    ? { why: first.why.trim(), unresolvable: UNRESOLVABLE.has(first.code) }
    : { why: lastErrorLine(result), unresolvable: false };
}
