/** Update configs: made, read, changed, removed. */
import { accountSettings } from "../blocks/settings.js";
import { isBranchName } from "../git/repository.js";
import type { Caller } from "../hosts/contract.js";
import { managerOf, type PackageManager } from "../managers/index.js";
import { syncConfigFile } from "../pipeline/inbound/sync-config-file.js";
import type { UpdatesRuntime } from "../runtime.js";
import { extrasOf } from "../store/configs.js";
import { hostRepoOf, type NamedRepo } from "../store/repos.js";
import type { Config, NewConfig } from "../store/tables.js";
import { type Changed, type Created, columnsOf } from "./config-fields.js";
import { ApiError, notFound } from "./errors.js";

export async function createConfig(
  service: UpdatesRuntime,
  caller: Caller,
  sent: Created,
): Promise<Config> {
  const repo = await service.directory.repo(service.host, caller, sent["repo-id"] ?? -1);
  if (!repo || !(await belongs(service, repo, sent))) throw notFound("Repo");
  // A file that was there before anybody told us has the say as well.
  if (service.host.kind !== "embedded" && repo.config_file === null)
    await syncConfigFile(service, repo);
  await mayChange(service, caller, (await service.store.repos.byId(repo.id)) ?? repo);
  const { id: packageManager, spelling } = sent["package-manager"] ?? { id: "", spelling: "" };
  const directory = sent.directory ?? "/";
  const target = sent["target-branch"] ?? "";
  const same = (await service.store.configs.ofRepo(repo.id)).find(
    (config) =>
      config.package_manager === packageManager &&
      config.directory === directory &&
      config.target_branch === target,
  );
  if (same) throw duplicate();
  const read = await manifests(service, repo, packageManager, directory, target);
  const now = service.context.clock.now();
  const config = await service.store.configs.add({
    repo_id: repo.id,
    package_manager: packageManager,
    package_manager_spelling: spelling,
    directory,
    update_schedule: sent["update-schedule"] ?? "daily",
    target_branch: "",
    lockfile_only: 0,
    security_updates_only: 0,
    automerge_runtime: "never",
    automerge_development: "never",
    extras: "{}",
    source: "api",
    created_at: now,
    next_run_at: Number.MAX_SAFE_INTEGER,
    last_run_at: null,
    indexed_at: null,
    trouble: null,
    ...columnsOf(sent, {}),
  } as NewConfig);
  if (!config) throw duplicate();
  await service.index.write(config, read);
  await service.schedule.plan(config, accountSettings(service.settings, repo.login));
  await service.enqueue([config], "created");
  return (await service.store.configs.byId(config.id)) ?? config;
}

export async function changeConfig(
  service: UpdatesRuntime,
  caller: Caller,
  id: number,
  sent: Changed,
): Promise<Config> {
  const { config, repo } = await findConfig(service, caller, id);
  await mayChange(service, caller, repo);
  const columns = columnsOf(sent, extrasOf(config));
  if (Object.keys(columns).length === 0) return config;
  const target = columns.target_branch ?? config.target_branch;
  if (target !== config.target_branch) {
    const others = await service.store.configs.ofRepo(repo.id);
    const clash = others.some(
      (other) =>
        other.id !== id &&
        other.package_manager === config.package_manager &&
        other.directory === config.directory &&
        other.target_branch === target,
    );
    if (clash) throw duplicate();
    await manifests(service, repo, config.package_manager, config.directory, target);
  }
  const changed = await service.store.configs.change(id, columns);
  if (!changed) throw notFound("Update config");
  await service.schedule.plan(changed, accountSettings(service.settings, repo.login));
  await service.enqueue([changed], "changed");
  return (await service.store.configs.byId(id)) ?? changed;
}

export async function removeConfig(
  service: UpdatesRuntime,
  caller: Caller,
  id: number,
): Promise<void> {
  const { repo } = await findConfig(service, caller, id);
  await mayChange(service, caller, repo);
  if (!(await service.store.configs.remove(id))) throw notFound("Update config");
}

/** A config and its repository, for somebody who may see both. @throws Refusal 404 */
export async function findConfig(
  service: UpdatesRuntime,
  caller: Caller,
  id: number,
): Promise<{ readonly config: Config; readonly repo: NamedRepo }> {
  const config = await service.store.configs.byId(id);
  const repo = config && (await service.store.repos.byId(config.repo_id));
  if (!repo || !(await service.access.may(service.host, caller, hostRepoOf(repo), "read"))) {
    throw notFound("Update config");
  }
  return { config, repo };
}

/** @throws Refusal 403 without permission to push, 409 where a file in the repository has the say */
async function mayChange(service: UpdatesRuntime, caller: Caller, repo: NamedRepo): Promise<void> {
  await mayPush(service, caller, repo);
  if (repo.config_file === null) return;
  throw new ApiError(
    409,
    `The configs of ${repo.login}/${repo.name} come from its file ${repo.config_file}: change them there.`,
    { code: "config_file" },
  );
}

/** @throws Refusal 403 */
export async function mayPush(
  service: UpdatesRuntime,
  caller: Caller,
  repo: NamedRepo,
): Promise<void> {
  if (await service.access.may(service.host, caller, hostRepoOf(repo), "push")) return;
  throw new ApiError(403, `The token may not push to ${repo.login}/${repo.name}.`, {
    code: "forbidden",
  });
}

async function belongs(service: UpdatesRuntime, repo: NamedRepo, sent: Created): Promise<boolean> {
  const account = await service.store.accounts.byId(repo.account_id);
  return account?.host_id === sent["account-id"] && account?.type === sent["account-type"];
}

/** What the place has for the manager to read. @throws Refusal 400 where there is nothing */
async function manifests(
  service: UpdatesRuntime,
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
  const read = await service.index.read(repo, manager, directory, branch);
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
