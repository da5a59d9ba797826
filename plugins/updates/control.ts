/** The plugin's part of the control API: whoever reaches the daemon's socket is its owner, and needs no token. */
import type { Routes } from "reeve/plugin";
import { fieldsOf } from "./api/body.js";
import { createFields } from "./api/config-fields.js";
import { createConfig, removeConfig } from "./api/configs.js";
import { ApiError } from "./api/errors.js";
import { announceRelease } from "./api/notifications.js";
import type { ApiRequest } from "./api/request.js";
import { configResource, pullResource, runResource } from "./api/resources.js";
import { errorMessage, isStoreAway, UpdatesError } from "./errors.js";
import { addressOf } from "./hosts/address.js";
import type { Caller } from "./hosts/contract.js";
import { EmbeddedHost } from "./hosts/embedded/embedded.js";
import { preview } from "./pipeline/plan/decisions.js";
import type { Ports } from "./pipeline/ports.js";
import { closedByUser } from "./pipeline/publish/close.js";
import type { NamedRepo } from "./store/repos.js";
import type { AccessToken } from "./store/tables.js";

interface Named {
  readonly login?: string;
  readonly type?: "org" | "user";
  readonly name?: string;
  readonly branch?: string;
  readonly scope?: AccessToken["scope"];
}
interface Query {
  readonly account?: string;
  readonly repo?: string;
  readonly state?: "open" | "merged" | "closed";
  readonly name?: string;
  readonly limit?: string;
}
type WithId = { Params: { id: string } };

/** `current` returns the ports in force, or nothing without an `updates` block. */
export const controlRoutes =
  (current: () => Ports | undefined): Routes =>
  (app) => {
    const running = (): Ports => {
      const found = current();
      if (found) return found;
      throw new UpdatesError("host_refused", "There is no `updates` block in the configuration.");
    };
    app.addHook("onSend", async ({ method }) => {
      // What is answered stays.
      if (method !== "GET") await current()?.flushed();
    });
    app.setErrorHandler((thrown, _request, reply) => {
      const problem = problemOf(thrown);
      if (!problem) throw thrown;
      return reply.code(problem.status).type("application/problem+json").send(problem);
    });

    app.get("/", () => ({ url: running().url }));
    app.get("/work", () => running().queueSizes());
    app.get("/accounts", () => listAccounts(running()));
    app.get<{ Querystring: Query }>("/repos", ({ query }) => listRepos(running(), query.account));
    app.get<{ Querystring: Query }>("/configs", async ({ query }) => ({
      configs: await listConfigs(running(), query.repo),
    }));
    app.get<{ Querystring: Query }>("/runs", async ({ query }) => listRuns(running(), query));
    app.get<{ Querystring: Query }>("/pulls", async ({ query }) => listPulls(running(), query));
    app.get<{ Querystring: Query }>("/why", async ({ query }) => why(running(), query));
    app.get("/tokens", async () => ({
      tokens: (await running().accounts.tokens()).map(({ digest: _digest, ...rest }) => rest),
    }));

    app.post<{ Body: Named }>("/accounts", async ({ body: { login = "", type = "org" } }) => {
      const { id } = await embedded(running()).addAccount(login, type);
      return { id, login, type };
    });
    app.post<{ Body: Named }>("/repos", async ({ body }) => {
      const { login = "", name = "", branch = "main" } = body;
      await embedded(running()).addRepo(login, name, branch);
      const repo = await running().directory.named(running().host, login, name);
      return {
        id: repo?.host_id,
        name: `${login}/${name}`,
        url: embedded(running()).addressOf(login, name),
      };
    });
    app.post<{ Body: Named }>("/tokens", ({ body }) => addToken(running(), body));
    app.post<WithId>("/tokens/:id/revoke", async ({ params: { id } }) => ({
      revoked: await running().accounts.revoke(Number(id)),
    }));
    app.post<{ Body: Readonly<Record<string, unknown>> & { repo?: string } }>(
      "/configs",
      async ({ body: { repo: name, ...body } }) => {
        const repo = await repoOf(running(), name ?? "");
        const account = await running().accounts.byId(repo.account_id);
        const place = {
          "repo-id": repo.host_id,
          "account-id": account?.host_id,
          "account-type": account?.type,
        };
        const sent = fieldsOf({ directory: "/", ...body, ...place }, createFields);
        return configResource(await createConfig(running(), ownerOf(running()), sent));
      },
    );
    app.post<WithId>("/configs/:id/remove", async ({ params: { id } }) => {
      await removeConfig(running(), ownerOf(running()), Number(id));
      return { removed: Number(id) };
    });
    app.post<WithId>("/configs/:id/run", async ({ params: { id } }) => {
      const config = await running().configs.byId(Number(id));
      if (!config) throw new UpdatesError("no_repository", `There is no update config ${id}.`);
      await running().enqueue([config], "by hand");
      return { config: config.id };
    });
    app.post<WithId>("/pulls/:id/close", async ({ params: { id } }) => closePull(running(), id));
    app.post("/notifications", async (request) => {
      const headers = { ...request.headers, prefer: "return=representation" };
      const { id, query, params, body } = request;
      const sent: ApiRequest = { id, headers, query, params, body };
      return (await announceRelease(running(), ownerOf(running()), sent))?.body;
    });
  };

/** On a code host: whoever the configured token belongs to. */
const ownerOf = ({ settings }: Ports): Caller => ({
  login: "owner",
  token: settings.host?.token.reveal() ?? "",
  owner: true,
});

function embedded({ host }: Ports): EmbeddedHost {
  if (host instanceof EmbeddedHost) return host;
  throw new UpdatesError(
    "host_refused",
    "Accounts, repositories and tokens are made on the code host.",
  );
}

async function addToken(ports: Ports, body: Named) {
  const { login, name = "token", scope = "push" } = body;
  const all = await embedded(ports).everyAccount();
  const account = login === undefined ? undefined : all.find((each) => each.login === login);
  if (login !== undefined && !account) {
    throw new UpdatesError("no_repository", `There is no account "${login}".`);
  }
  const now = ports.clock.now();
  const { token, row } = await ports.accounts.issue(name, account?.id, scope, now);
  return { id: row.id, name, scope, account: login ?? null, token };
}

async function listAccounts(ports: Ports) {
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

async function listRepos(ports: Ports, login: string | undefined) {
  const { host } = ports;
  const { accounts } = await listAccounts(ports);
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

async function listConfigs(ports: Ports, name: string | undefined) {
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

async function listRuns(ports: Ports, { repo: name, limit = "20" }: Query) {
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

async function listPulls(ports: Ports, { repo: name, state, limit = "20" }: Query) {
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

async function why(ports: Ports, { repo: name = "", name: dependency }: Query) {
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

async function closePull(ports: Ports, id: string) {
  const pull = await ports.pulls.byId(Number(id));
  const repo = pull && (await ports.repos.byId(pull.repo_id));
  const config = pull && (await ports.configs.byId(pull.config_id));
  if (pull?.state !== "open" || !repo || !config) {
    throw new UpdatesError("no_repository", `There is no open pull request with the id ${id}.`);
  }
  await closedByUser(ports, { pull, repo, config });
  return { closed: pull.id };
}

async function reposOf(
  ports: Ports,
  name: string | undefined,
): Promise<ReadonlyMap<number, string>> {
  const repos = name === undefined ? await ports.repos.all() : [await repoOf(ports, name)];
  return new Map(repos.map((repo) => [repo.id, `${repo.login}/${repo.name}`]));
}

/** @throws UpdatesError for a repository that is not there */
async function repoOf(ports: Ports, full: string): Promise<NamedRepo> {
  const [login = "", name = ""] = full.split("/");
  const repo = await ports.directory.named(ports.host, login, name);
  if (repo) return repo;
  throw new UpdatesError("no_repository", `There is no repository "${full}".`);
}

function problemOf(thrown: unknown) {
  if (thrown instanceof UpdatesError) {
    return problem(thrown.code === "no_repository" ? 404 : 409, thrown.code, thrown.message);
  }
  if (thrown instanceof ApiError) {
    const detail = thrown.errors.map((error) => error.detail ?? error.title).join(" ");
    return problem(thrown.status, thrown.errors[0]?.code ?? "refused", detail);
  }
  if (isStoreAway(thrown)) return problem(503, "store_away", errorMessage(thrown));
  return undefined;
}

const problem = (status: number, code: string, detail: string) => ({
  type: `urn:reeve:updates.${code}`,
  title: status === 404 ? "Not found" : "Refused",
  status,
  code: `updates.${code}`,
  detail,
});
