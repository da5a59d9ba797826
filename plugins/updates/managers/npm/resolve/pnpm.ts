/** Refreshes pnpm-lock.yaml with the repository's pnpm. Neither scripts nor `.pnpmfile.cjs` run. */
import { posix } from "node:path";
import { readYaml } from "../../../text/yaml.js";
import type { FileTexts, ProjectSources } from "../../contract.js";
import type { RefreshedLock } from "../../lock/contract.js";
import { LockFallback } from "../../lock/refresh.js";
import { lastErrorLine, type ToolResult } from "../../lock/tool.js";
import { insideOf, within } from "../../paths.js";
import { pnpmLockVersions, projectOf } from "../lockfile/versions.js";
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
import { npmrcLogins } from "../tool/yarn-settings.js";

export async function refreshPnpm(change: NpmLockChange): Promise<RefreshedLock> {
  const { request, tools, file, files } = change;
  const { sources, settings, changes } = request;
  const lock = files.get(file) ?? "";
  const format = formatOf(lock);
  const wanted = wantedTool(sources, "pnpm", format);
  if (!wanted) throw new LockFallback("no known pnpm writes its format");
  const code = codeIn(sources);
  if (code !== undefined && !settings.unsafe?.includes("npm_and_yarn"))
    throw new LockFallback(`${code} is code of the repository, which is not run`);
  const tool = await packageTool(wanted, request, tools);
  const registries = registriesInUse({ ...sources, files }, settings);
  const logins = npmrcLogins(loginsFor(registries, tools.credentials));
  const hooks = await pnpmfile(change);
  const more: FileTexts = new Map([
    ...(await patches(change)),
    ...hooks,
    [".npmrc", `${ownSettings(sources)}${lines(registries)}`],
    [".reeve-npmrc", `${lines(registries)}${logins}`],
  ]);
  const common = [
    "--lockfile-only",
    "--ignore-scripts",
    `--registry=${registries[""]}`,
    "--config.fetch-retries=1",
    "--config.fetch-timeout=20000",
    ...(hooks.size === 0 ? ["--ignore-pnpmfile"] : []),
    // The version is already right; pnpm must not switch or record it.
    ...(major(tool.version) >= 11 ? ["--config.pm-on-fail=ignore"] : []),
    ...(ageIsOurs(sources, tool.version) ? ["--config.minimum-release-age=0"] : []),
  ];
  const install = ["install", "--no-frozen-lockfile", ...common];
  const everywhere = "packages" in workspace(sources) ? ["--recursive"] : [];
  const indirect = indirectChanges(changes).map(({ dependency }) => dependency.name);
  const steps: ToolStep[] = [
    ...(directChanges(changes).length > 0
      ? [
          { manifests: "pinned" as const, args: install },
          { manifests: "edited" as const, args: install },
        ]
      : []),
    ...(indirect.length > 0
      ? [
          {
            manifests: "edited" as const,
            args: [
              "update",
              ...everywhere,
              "--depth=Infinity",
              "--no-save",
              ...common,
              ...indirect,
            ],
          },
        ]
      : []),
  ];
  const refreshed = await refreshedByTool({
    change,
    tool,
    command: "pnpm",
    steps,
    more,
    env: (home) => ({
      npm_config_userconfig: posix.join(home, "../.reeve-npmrc"),
      npm_config_globalconfig: posix.join(home, "npmrc"),
      npm_config_store_dir: posix.join(home, "store"),
      npm_config_cache_dir: posix.join(home, "cache"),
      npm_config_state_dir: posix.join(home, "state"),
      npm_config_manage_package_manager_versions: "false",
      npm_config_update_notifier: "false",
      PNPM_HOME: home,
      CI: "true",
    }),
    problemIn,
    read: pnpmLockVersions,
  });
  const after = formatOf(refreshed.text);
  if (!wanted.named && after !== format)
    throw new LockFallback(`pnpm ${tool.version} writes format ${after}, not ${format}`);
  return refreshed;
}

const formatOf = (lock: string): string =>
  /^lockfileVersion: *['"]?([\d.]+)/m.exec(projectOf(lock))?.[1] ?? "";

const lines = (registries: Readonly<Record<string, string>>): string =>
  Object.entries(registries)
    .map(([scope, url]) => `${scope === "" ? "" : `${scope}:`}registry=${url}/\n`)
    .join("");

/** The settings that change the lock file. All others may name code, addresses or local paths. */
const TAKEN =
  /^[ \t]*(auto-install-peers|dedupe-[\w-]+|exclude-links-from-lockfile|inject-workspace-packages|legacy-peer-deps|link-workspace-packages|lockfile-include-tarball-url|peers-suffix-max-length|prefer-workspace-packages|resolution-mode|resolve-peers-from-workspace-root|save-workspace-protocol|shared-workspace-lockfile|strict-peer-dependencies|minimum-release-age[\w-]*)[ \t]*=[^$\r\n]*$/gm;

const ownSettings = ({ directory, files }: ProjectSources): string =>
  [...(files.get(within(directory, ".npmrc")) ?? "").matchAll(TAKEN)]
    .map(([line]) => `${line.trim()}\n`)
    .join("");

function workspace({ directory, files }: ProjectSources): Readonly<Record<string, unknown>> {
  const file = within(directory, "pnpm-workspace.yaml");
  const text = files.get(file);
  if (text === undefined) return {};
  return (readYaml(file, text).toJS() ?? {}) as Readonly<Record<string, unknown>>;
}

/** pnpm 11 and later waits a day by default. Reeve has checked the age already, unless the repository sets it. */
const ageIsOurs = (sources: ProjectSources, version: string): boolean =>
  major(version) >= 11 &&
  !("minimumReleaseAge" in workspace(sources)) &&
  !/minimum-release-age/.test(ownSettings(sources));

const major = (version: string): number => Number.parseInt(version, 10);

const HOOKS = [".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js"];

/** The repository's code that would run. */
function codeIn(sources: ProjectSources): string | undefined {
  const settings = workspace(sources);
  const named = [
    "pnpmfile",
    "globalPnpmfile",
    "configDependencies",
    "scriptShell",
    "nodeOptions",
  ].find((name) => name in settings);
  if (named !== undefined) return `\`${named}\` in pnpm-workspace.yaml`;
  return HOOKS.find((name) =>
    sources.tree.some(({ path }) => path === within(sources.directory, name)),
  );
}

/** Only if the instance allows it. */
async function pnpmfile({ request, tools }: NpmLockChange): Promise<FileTexts> {
  const { sources, settings } = request;
  if (!settings.unsafe?.includes("npm_and_yarn") || !tools.read) return new Map();
  const found = await tools.read(HOOKS.map((name) => within(sources.directory, name)));
  const inside = insideOf(sources.directory);
  return new Map([...found].map(([path, text]) => [posix.relative(inside, path), text]));
}

const UNRESOLVABLE =
  /ERR_PNPM_(NO_MATCHING_VERSION|NO_VERSIONS|NO_MATURE_MATCHING_VERSION|PEER_DEP_ISSUES|NO_MATCHING_VERSION_INSIDE_WORKSPACE)/i;

function problemIn(result: ToolResult): { why: string; unresolvable: boolean } {
  const said = `${result.stdout}\n${result.stderr}`;
  const [, code, why] = /(ERR_PNPM_\w+)[\]:\s]+(.+)/.exec(said) ?? [];
  // pnpm 12 and later prints causes as a tree; the last one is specific.
  const [, cause] = /╰─▶ (.+(?:\n {6}\S.*)*)/.exec(said) ?? [];
  return {
    why: cause?.replace(/\n\s*/g, " ") ?? why?.trim() ?? lastErrorLine(result),
    unresolvable: UNRESOLVABLE.test(code ?? ""),
  };
}
