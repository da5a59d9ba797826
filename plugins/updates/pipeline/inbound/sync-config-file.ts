/** Keeps the update configs of a repository in step with its config file. */

import { accountSettings } from "../../blocks/settings.js";
import { isPattern } from "../../config-files/directories.js";
import { CONFIG_FILES } from "../../config-files/paths.js";
import type { ConfigFileResult, FileConfig } from "../../config-files/read.js";
import type { Repository } from "../../git/repository.js";
import { freshColumns } from "../../store/configs.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Config, NewConfig } from "../../store/tables.js";
import type { Ports } from "../ports.js";
import type { ClosePorts } from "../publish/close.js";
import { adoptPulls, removeConfig } from "../publish/removed-configs.js";

export type ConfigFilePorts = ClosePorts &
  Pick<Ports, "configs" | "enqueue" | "index" | "planRun" | "repos" | "settings">;

/** Runs after a change of the default branch. The file overrides all other configs; without a file nothing changes. */
export async function syncConfigFile(ports: ConfigFilePorts, repo: NamedRepo): Promise<void> {
  const repository = await ports.host.open(hostRepoOf(repo));
  const head = await repository.resolve(`refs/heads/${repo.default_branch}`);
  if (head === undefined) return;
  for (const path of CONFIG_FILES) {
    const content = await repository.read(head, path);
    if (!content) continue;
    const text = content.toString("utf8");
    // Loads the YAML reader only if there is a file.
    const { readConfigFile } = await import("../../config-files/read.js");
    const read = await readConfigFile(text, await filesFor(text, repository, head));
    await applyConfigFile(ports, repo, path, read);
    return;
  }
  if (repo.config_file === null) return;
  const configs = await ports.configs.ofRepo(repo.id);
  for (const config of configs)
    if (config.source === "file") await removeConfig(ports, repo, config);
  await ports.repos.change(repo.id, { config_file: null });
}

/** The files of a commit, if the text may contain patterns. Large trees take time. */
async function filesFor(
  text: string,
  repository: Repository,
  commit: string,
): Promise<readonly string[]> {
  if (!isPattern(text)) return [];
  const tree = await repository.tree(commit);
  return tree.filter(({ mode }) => mode.startsWith("100")).map(({ path }) => path);
}

async function applyConfigFile(
  ports: ConfigFilePorts,
  repo: NamedRepo,
  path: string,
  { configs, faults }: ConfigFileResult,
): Promise<void> {
  const name = `${repo.login}/${repo.name}`;
  if (faults.length > 0) {
    ports.log.warn(`${path} of ${name} has faults`, { repo: name, faults });
    ports.emit("update.config_file_faults", { repo: name, path, faults });
  }
  await ports.repos.change(repo.id, { config_file: path });
  const known = new Map((await ports.configs.ofRepo(repo.id)).map((each) => [keyOf(each), each]));
  const wanted = new Set<string>();
  for (const each of configs) {
    const config = await saveConfig(ports, each, repo, known);
    if (config) wanted.add(keyOf(config));
  }
  // An unreadable file removes nothing.
  if (configs.length === 0 && faults.length > 0) return;
  for (const [key, config] of known) if (!wanted.has(key)) await removeConfig(ports, repo, config);
}

const keyOf = (config: Pick<Config, "package_manager" | "directory" | "target_branch">): string =>
  `${config.package_manager} ${config.directory} ${config.target_branch}`;

async function saveConfig(
  ports: Pick<Ports, "clock" | "configs" | "enqueue" | "index" | "planRun" | "pulls" | "settings">,
  wanted: FileConfig,
  repo: NamedRepo,
  known: ReadonlyMap<string, Config>,
): Promise<Config | undefined> {
  const columns = {
    update_schedule: wanted.schedule,
    automerge_runtime: wanted.automergeRuntime,
    automerge_development: wanted.automergeDevelopment,
    extras: JSON.stringify(wanted.extras),
    source: "file",
  } as const;
  const key = {
    package_manager: wanted.packageManager,
    directory: wanted.directory,
    target_branch: wanted.targetBranch,
  };
  const before = known.get(keyOf(key));
  if (before && isSame(before, columns)) return before;
  const added: NewConfig = {
    ...freshColumns,
    ...key,
    ...columns,
    repo_id: repo.id,
    package_manager_spelling: wanted.packageManager,
    created_at: ports.clock.now(),
  };
  const config = before
    ? await ports.configs.change(before.id, columns)
    : await ports.configs.add(added);
  if (!config) return undefined;
  if (!before) await adoptPulls(ports, repo, config);
  await ports.index.refresh(config, repo);
  await ports.planRun(config, accountSettings(ports.settings, repo.login));
  const isFirst = config.last_run_at === null;
  await ports.enqueue([config], "config file", isFirst ? { at: ports.clock.now() } : {});
  return config;
}

const isSame = (config: Config, columns: Partial<Config>): boolean =>
  Object.entries(columns).every(([name, value]) => config[name as keyof Config] === value);
