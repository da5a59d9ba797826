/** Lists of the control API: accounts, repositories, configs, runs, pull requests, decisions. */
import { configResource, pullResource, runResource } from "./api/resources.js";
import { UpdatesError } from "./errors.js";
import { addressOf } from "./hosts/address.js";
import type { Caller } from "./hosts/contract.js";
import { type DecisionPorts, preview } from "./pipeline/plan/decisions.js";
import type { Ports } from "./pipeline/ports.js";
import type { NamedRepo } from "./store/repos.js";

export interface Query {
  readonly account?: string;
  readonly repo?: string;
  readonly state?: "open" | "merged" | "closed";
  readonly name?: string;
  readonly limit?: string;
}

/** The owner of the daemon. On a remote host it acts as the owner of the configured token. */
export const ownerOf = ({ settings }: Pick<Ports, "settings">): Caller => ({
  login: "owner",
  token: settings.host?.token.reveal() ?? "",
  owner: true,
});

export async function accountList(ports: Pick<Ports, "directory" | "host" | "repos" | "settings">) {
  const accounts = await ports.directory.accounts(ports.host, ownerOf(ports));
  return {
    accounts: await Promise.all(
      accounts.map(async (account) => {
        await ports.directory.refresh(ports.host, ownerOf(ports), account);
        return {
          id: account.host_id,
          login: account.login,
          type: account.type,
          repos: (await ports.repos.all(account.id)).length,
        };
      }),
    ),
  };
}

export async function repoList(
  ports: Pick<Ports, "configs" | "directory" | "host" | "repos" | "settings">,
  login: string | undefined,
) {
  const { host } = ports;
  const { accounts } = await accountList(ports);
  if (login !== undefined && !accounts.some((each) => each.login === login)) {
    throw new UpdatesError("no_repository", `There is no account "${login}".`);
  }
  const [repos, configs] = await Promise.all([ports.repos.all(), ports.configs.counts()]);
  return {
    repos: repos
      .filter((repo) => login === undefined || repo.login === login)
      .map((repo) => ({
        id: repo.host_id,
        name: `${repo.login}/${repo.name}`,
        configs: configs.get(repo.id) ?? 0,
        branch: repo.default_branch,
        url: addressOf(host, repo),
        configFile: repo.config_file,
      })),
  };
}

export async function configList(
  ports: Pick<Ports, "configs" | "directory" | "host" | "repos">,
  name: string | undefined,
) {
  const repos = name === undefined ? await ports.repos.all() : [await repoOf(ports, name)];
  const byId = new Map(repos.map((repo) => [repo.id, repo]));
  const configs =
    repos.length === 1 && repos[0]
      ? await ports.configs.ofRepo(repos[0].id)
      : await ports.configs.all();
  return configs.flatMap((config) => {
    const repo = byId.get(config.repo_id);
    if (!repo) return [];
    const { attributes } = configResource(config);
    return [{ id: config.id, repo: `${repo.login}/${repo.name}`, ...attributes }];
  });
}

export async function runList(
  ports: Pick<Ports, "directory" | "host" | "repos" | "runs" | "stages">,
  { repo: name, limit = "20" }: Query,
) {
  const repos = await reposOf(ports, name);
  const runs = await ports.runs.list({
    ...(name === undefined ? {} : { repoIds: [...repos.keys()] }),
    limit: Number(limit) || 20,
  });
  return {
    runs: runs.map((run) => ({
      id: run.id,
      repo: repos.get(run.repo_id) ?? "",
      config: run.config_id,
      ...runResource(run).attributes,
      ...ports.stages.of(run.id),
    })),
  };
}

export async function pullList(
  ports: Pick<Ports, "directory" | "host" | "pulls" | "repos">,
  { repo: name, state, limit = "20" }: Query,
) {
  const repos = await reposOf(ports, name);
  const pulls = await ports.pulls.list({
    ...(name === undefined ? {} : { repoIds: [...repos.keys()] }),
    ...(state === undefined ? {} : { state }),
    limit: Number(limit) || 20,
  });
  const dependencies = await ports.pulls.dependencies(pulls.map(({ id }) => id));
  return {
    pulls: pulls.map((pull) => ({
      id: pull.id,
      repo: repos.get(pull.repo_id) ?? "",
      ...pullResource(pull, dependencies.get(pull.id) ?? []).attributes,
    })),
  };
}

export async function decisionList(
  ports: DecisionPorts & Pick<Ports, "directory" | "host">,
  { repo: name = "", name: dependency }: Query,
) {
  const repo = await repoOf(ports, name);
  const configs = await ports.configs.ofRepo(repo.id);
  const names = dependency === undefined ? undefined : [dependency];
  const all = await Promise.all(
    configs.map(async (config) =>
      (await preview(ports, config, repo, names)).map((outcome) => ({
        config: config.id,
        directory: config.directory,
        ...outcome,
      })),
    ),
  );
  return { dependencies: all.flat() };
}

async function reposOf(
  ports: Pick<Ports, "directory" | "host" | "repos">,
  name: string | undefined,
): Promise<ReadonlyMap<number, string>> {
  const repos = name === undefined ? await ports.repos.all() : [await repoOf(ports, name)];
  return new Map(repos.map((repo) => [repo.id, `${repo.login}/${repo.name}`]));
}

/** @throws UpdatesError `no_repository` */
export async function repoOf(
  ports: Pick<Ports, "directory" | "host">,
  full: string,
): Promise<NamedRepo> {
  const [login = "", name = ""] = full.split("/");
  const repo = await ports.directory.named(ports.host, login, name);
  if (repo) return repo;
  throw new UpdatesError("no_repository", `There is no repository "${full}".`);
}
