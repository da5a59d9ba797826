/** Creates, reads, changes and removes update configs. */
import { accountSettings } from "../blocks/settings.js";
import { isBranchName } from "../git/repository.js";
import type { Caller } from "../hosts/contract.js";
import { managerOf, type PackageManager } from "../managers/index.js";
import type { ConfigFilePorts } from "../pipeline/inbound/sync-config-file.js";
import { syncConfigFile } from "../pipeline/inbound/sync-config-file.js";
import type { Ports } from "../pipeline/ports.js";
import type { ClosePorts } from "../pipeline/publish/close.js";
import { adoptPulls, removeConfig } from "../pipeline/publish/removed-configs.js";
import { extrasOf, freshColumns } from "../store/configs.js";
import { hostRepoOf, type NamedRepo } from "../store/repos.js";
import type { Config, NewConfig } from "../store/tables.js";
import { type Changed, type Created, columnsOf } from "./config-fields.js";
import { ApiError, notFound } from "./errors.js";

export type AccessPorts = Pick<Ports, "access" | "configs" | "host" | "repos">;

export async function createConfig(
  ports: ConfigFilePorts & Pick<Ports, "access" | "accounts" | "directory">,
  caller: Caller,
  sent: Created,
): Promise<Config> {
  const repo = await ports.directory.repo(ports.host, caller, sent["repo-id"] ?? -1);
  if (!repo || !(await belongs(ports, repo, sent))) throw notFound("Repo");
  // An existing config file takes precedence.
  if (ports.host.kind !== "embedded" && repo.config_file === null)
    await syncConfigFile(ports, repo);
  await mayChange(ports, caller, (await ports.repos.byId(repo.id)) ?? repo);
  const { id: packageManager, spelling } = sent["package-manager"] ?? { id: "", spelling: "" };
  const directory = sent.directory ?? "/";
  const target = sent["target-branch"] ?? "";
  const same = (await ports.configs.ofRepo(repo.id)).find(
    (config) =>
      config.package_manager === packageManager &&
      config.directory === directory &&
      config.target_branch === target,
  );
  if (same) throw duplicate();
  const read = await manifests(ports, repo, packageManager, directory, target);
  const config = await ports.configs.add({
    ...freshColumns,
    repo_id: repo.id,
    package_manager: packageManager,
    package_manager_spelling: spelling,
    directory,
    update_schedule: sent["update-schedule"] ?? "daily",
    target_branch: "",
    automerge_runtime: "never",
    automerge_development: "never",
    extras: "{}",
    source: "api",
    created_at: ports.clock.now(),
    ...columnsOf(sent, {}),
  } as NewConfig);
  if (!config) throw duplicate();
  await adoptPulls(ports, repo, config);
  await ports.index.write(config, read);
  await ports.planRun(config, accountSettings(ports.settings, repo.login));
  await ports.enqueue([config], "created", { at: ports.clock.now() });
  return (await ports.configs.byId(config.id)) ?? config;
}

export async function changeConfig(
  ports: AccessPorts & Pick<Ports, "enqueue" | "index" | "planRun" | "settings">,
  caller: Caller,
  id: number,
  sent: Changed,
): Promise<Config> {
  const { config, repo } = await findConfig(ports, caller, id);
  await mayChange(ports, caller, repo);
  const columns = columnsOf(sent, extrasOf(config));
  if (Object.keys(columns).length === 0) return config;
  const target = columns.target_branch ?? config.target_branch;
  if (target !== config.target_branch) {
    const others = await ports.configs.ofRepo(repo.id);
    const clash = others.some(
      (other) =>
        other.id !== id &&
        other.package_manager === config.package_manager &&
        other.directory === config.directory &&
        other.target_branch === target,
    );
    if (clash) throw duplicate();
    await manifests(ports, repo, config.package_manager, config.directory, target);
  }
  const changed = await ports.configs.change(id, columns);
  if (!changed) throw notFound("Update config");
  await ports.planRun(changed, accountSettings(ports.settings, repo.login));
  await ports.enqueue([changed], "changed");
  return (await ports.configs.byId(id)) ?? changed;
}

/** Closes its pull requests, or leaves them open with `keep`. */
export async function deleteConfig(
  ports: AccessPorts & ClosePorts,
  caller: Caller,
  id: number,
  keep: boolean,
): Promise<void> {
  const { config, repo } = await findConfig(ports, caller, id);
  await mayChange(ports, caller, repo);
  if (!(await removeConfig(ports, repo, config, keep))) throw notFound("Update config");
}

/** A config and its repository, if the caller may see both. @throws ApiError 404 */
export async function findConfig(
  ports: AccessPorts,
  caller: Caller,
  id: number,
): Promise<{ readonly config: Config; readonly repo: NamedRepo }> {
  const config = await ports.configs.byId(id);
  const repo = config && (await ports.repos.byId(config.repo_id));
  if (!repo || !(await ports.access.may(ports.host, caller, hostRepoOf(repo), "read"))) {
    throw notFound("Update config");
  }
  return { config, repo };
}

/** @throws ApiError 403 without push permission, 409 if a config file defines the configs */
async function mayChange(
  ports: Pick<Ports, "access" | "host">,
  caller: Caller,
  repo: NamedRepo,
): Promise<void> {
  await mayPush(ports, caller, repo);
  if (repo.config_file === null) return;
  throw new ApiError(
    409,
    `The configs of ${repo.login}/${repo.name} come from its file ${repo.config_file}: change that file.`,
    { code: "config_file" },
  );
}

/** @throws ApiError 403 */
export async function mayPush(
  ports: Pick<Ports, "access" | "host">,
  caller: Caller,
  repo: NamedRepo,
): Promise<void> {
  if (await ports.access.may(ports.host, caller, hostRepoOf(repo), "push")) return;
  throw new ApiError(403, `The token may not push to ${repo.login}/${repo.name}.`, {
    code: "forbidden",
  });
}

async function belongs(
  ports: Pick<Ports, "accounts">,
  repo: NamedRepo,
  sent: Created,
): Promise<boolean> {
  const account = await ports.accounts.byId(repo.account_id);
  return account?.host_id === sent["account-id"] && account?.type === sent["account-type"];
}

/** Reads the project's manifests. @throws ApiError 400 if there are none */
async function manifests(
  ports: Pick<Ports, "index">,
  repo: NamedRepo,
  packageManager: string,
  directory: string,
  target: string,
) {
  const about = (pointer: string) => ({
    source: { pointer },
    meta: { "repo-id": String(repo.host_id) },
  });
  const manager = await managerOf(packageManager as PackageManager);
  if (target !== "" && !isBranchName(target)) {
    throw new ApiError(400, `${target} is not the name of a branch.`, {
      code: "invalid",
      ...about("/target-branch"),
    });
  }
  const branch = target || repo.default_branch;
  const read = await ports.index.read(repo, manager, directory, branch);
  if (!read) {
    const detail =
      target === ""
        ? `Repo must contain at least one commit on its default branch ${branch}.`
        : `Repo must contain the branch ${branch}.`;
    throw new ApiError(400, detail, { code: "no_branch", ...about("/target-branch") });
  }
  if (!read.present) {
    const where = directory === "/" ? "" : ` It was looked for in ${directory}.`;
    throw new ApiError(400, `${manager.missing}${where}`, {
      code: "no_manifest",
      ...about("/directory"),
    });
  }
  return read;
}

const duplicate = (): ApiError =>
  new ApiError(
    400,
    "An update config for this package manager and directory already exists in this repository.",
    { code: "already_exists" },
  );
