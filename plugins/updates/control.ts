/** The plugin's part of the control API. Access to the daemon's socket is ownership; there are no tokens. */
import type { Routes } from "reeve/plugin";
import { parseFields } from "./api/body.js";
import { createFields } from "./api/config-fields.js";
import { createConfig, deleteConfig } from "./api/configs.js";
import { ApiError } from "./api/errors.js";
import { announceRelease } from "./api/notifications.js";
import type { ApiRequest } from "./api/request.js";
import { configResource } from "./api/resources.js";
import {
  accountList,
  configList,
  decisionList,
  ownerOf,
  pullList,
  type Query,
  repoList,
  repoOf,
  runList,
} from "./control-listings.js";
import { errorMessage, isStoreAway, UpdatesError } from "./errors.js";
import { EmbeddedHost } from "./hosts/embedded/embedded.js";
import type { Ports } from "./pipeline/ports.js";
import type { ClosePorts } from "./pipeline/publish/close.js";
import { closedByUser } from "./pipeline/publish/close.js";
import type { AccessToken } from "./store/tables.js";

interface Named {
  readonly login?: string;
  readonly type?: "org" | "user";
  readonly name?: string;
  readonly branch?: string;
  readonly scope?: AccessToken["scope"];
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
      // The response promises durability.
      if (method !== "GET") await current()?.flushed();
    });
    app.setErrorHandler((thrown, _request, reply) => {
      const problem = problemOf(thrown);
      if (!problem) throw thrown;
      return reply.code(problem.status).type("application/problem+json").send(problem);
    });

    app.get("/", () => ({ url: running().url }));
    app.get("/work", () => running().queueSizes());
    app.get("/accounts", () => accountList(running()));
    app.get<{ Querystring: Query }>("/repos", ({ query }) => repoList(running(), query.account));
    app.get<{ Querystring: Query }>("/configs", async ({ query }) => ({
      configs: await configList(running(), query.repo),
    }));
    app.get<{ Querystring: Query }>("/runs", async ({ query }) => runList(running(), query));
    app.get<{ Querystring: Query }>("/pulls", async ({ query }) => pullList(running(), query));
    app.get<{ Querystring: Query }>("/why", async ({ query }) => decisionList(running(), query));
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
        const identity = {
          "repo-id": repo.host_id,
          "account-id": account?.host_id,
          "account-type": account?.type,
        };
        const sent = parseFields({ directory: "/", ...body, ...identity }, createFields);
        return configResource(await createConfig(running(), ownerOf(running()), sent));
      },
    );
    app.post<WithId & { Body: { keep?: boolean } }>("/configs/:id/remove", async (request) => {
      const { id } = request.params;
      const keep = request.body?.keep === true;
      await deleteConfig(running(), ownerOf(running()), Number(id), keep);
      return { removed: Number(id) };
    });
    app.post<WithId>("/configs/:id/run", async ({ params: { id } }) => {
      const config = await running().configs.byId(Number(id));
      if (!config) throw new UpdatesError("no_repository", `There is no update config ${id}.`);
      await running().enqueue([config], "by hand", { at: running().clock.now() });
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

function embedded({ host }: Pick<Ports, "host">): EmbeddedHost {
  if (host instanceof EmbeddedHost) return host;
  throw new UpdatesError(
    "host_refused",
    "Create accounts, repositories and tokens on the code host.",
  );
}

async function addToken(ports: Pick<Ports, "accounts" | "clock" | "host">, body: Named) {
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

async function closePull(ports: ClosePorts & Pick<Ports, "repos">, id: string) {
  const pull = await ports.pulls.byId(Number(id));
  const repo = pull && (await ports.repos.byId(pull.repo_id));
  if (pull?.state !== "open" || !repo) {
    throw new UpdatesError("no_repository", `There is no open pull request with the id ${id}.`);
  }
  await closedByUser(ports, repo, pull);
  return { closed: pull.id };
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
