/** Runs, pull requests, and the reasons why a dependency is not updated. */
import type { Caller } from "../hosts/contract.js";
import type { DecisionPorts } from "../pipeline/plan/decisions.js";
import { preview } from "../pipeline/plan/decisions.js";
import type { Ports } from "../pipeline/ports.js";
import type { ClosePorts } from "../pipeline/publish/close.js";
import { closedByUser, offerAgain } from "../pipeline/publish/close.js";
import { hostRepoOf, type NamedRepo } from "../store/repos.js";
import type { Pull } from "../store/tables.js";
import { oneOfField, parseFields } from "./body.js";
import type { AccessPorts } from "./configs.js";
import { findConfig, mayPush } from "./configs.js";
import { ApiError, notFound } from "./errors.js";
import { type ApiRequest, idOf, invalidParameter, parameter, wholeParameter } from "./request.js";
import { pullResource, runResource } from "./resources.js";

const mostListed = 200;

export async function listRuns(
  ports: Pick<Ports, "access" | "directory" | "host" | "repos" | "runs">,
  caller: Caller,
  request: ApiRequest,
) {
  const limit = limitOf(request);
  const configId = wholeParameter(request, "update-config-id");
  const before = wholeParameter(request, "before");
  const repoIds = await visible(ports, caller, request);
  const runs = await ports.runs.list({
    repoIds,
    limit,
    ...(configId === undefined ? {} : { configId }),
    ...(before === undefined ? {} : { before }),
  });
  return { data: runs.map(runResource), meta: { next: nextOf(runs, limit) } };
}

export async function oneRun(
  ports: Pick<Ports, "access" | "host" | "repos" | "runs">,
  caller: Caller,
  request: ApiRequest,
) {
  const run = await ports.runs.byId(idOf(request));
  const repo = run && (await ports.repos.byId(run.repo_id));
  if (!run || !repo || !(await maySee(ports, caller, repo))) throw notFound("Run");
  return { data: runResource(run) };
}

export async function listPulls(
  ports: Pick<Ports, "access" | "directory" | "host" | "pulls" | "repos">,
  caller: Caller,
  request: ApiRequest,
) {
  const limit = limitOf(request);
  const state = parameter(request, "state");
  if (state !== undefined && !["open", "merged", "closed"].includes(state)) {
    throw invalidParameter("state", "The parameter state must be open, merged or closed.");
  }
  const before = wholeParameter(request, "before");
  const configId = wholeParameter(request, "update-config-id");
  const pulls = await ports.pulls.list({
    repoIds: await visible(ports, caller, request),
    limit,
    ...(state === undefined ? {} : { state: state as Pull["state"] }),
    ...(configId === undefined ? {} : { configId }),
    ...(before === undefined ? {} : { before }),
  });
  const dependencies = await ports.pulls.dependencies(pulls.map(({ id }) => id));
  return {
    data: pulls.map((pull) => pullResource(pull, dependencies.get(pull.id) ?? [])),
    meta: { next: nextOf(pulls, limit) },
  };
}

export async function onePull(
  ports: Pick<Ports, "access" | "host" | "pulls" | "repos">,
  caller: Caller,
  request: ApiRequest,
) {
  const { pull } = await pullFor(ports, caller, request);
  return { data: await shown(ports, pull) };
}

/** Closing a pull request refuses its versions, "opening" offers them again. The config of an open one may be gone. */
export async function changePull(
  ports: ClosePorts & AccessPorts & Pick<Ports, "enqueue">,
  caller: Caller,
  request: ApiRequest,
) {
  const { pull, repo } = await pullFor(ports, caller, request);
  await mayPush(ports, caller, repo);
  const states = oneOfField(["closed", "open"]);
  const { state } = parseFields(request.body, { state: { read: states, required: true } });
  if (state === "open") {
    const config = await ports.configs.byId(pull.config_id);
    if (pull.state !== "closed" || !config)
      throw new ApiError(409, "Only versions of closed pull requests can be offered again.", {
        code: "not_closed",
      });
    await offerAgain(ports, pull);
    await ports.enqueue([config], "reopen");
    return { data: await shown(ports, (await ports.pulls.byId(pull.id)) ?? pull) };
  }
  if (pull.state !== "open") {
    throw new ApiError(409, `The pull request is ${pull.state} already.`, { code: "not_open" });
  }
  return { data: await shown(ports, await closedByUser(ports, repo, pull)) };
}

/** Previews the decisions about all dependencies, or one. Changes nothing. */
export async function previewDecisions(
  ports: DecisionPorts & AccessPorts,
  caller: Caller,
  request: ApiRequest,
) {
  const { config, repo } = await findConfig(ports, caller, idOf(request));
  const name = parameter(request, "name");
  const outcomes = await preview(ports, config, repo, name === undefined ? undefined : [name]);
  return {
    data: outcomes.map(({ name: id, ...attributes }) => ({
      id,
      type: "dependencies",
      attributes: { name: id, ...attributes },
    })),
  };
}

async function shown(ports: Pick<Ports, "pulls">, pull: Pull) {
  return pullResource(pull, await ports.pulls.dependenciesOf(pull));
}

async function pullFor(
  ports: Pick<Ports, "access" | "host" | "pulls" | "repos">,
  caller: Caller,
  request: ApiRequest,
) {
  const pull = await ports.pulls.byId(idOf(request));
  const repo = pull && (await ports.repos.byId(pull.repo_id));
  if (!repo || pull.state === "preparing" || !(await maySee(ports, caller, repo))) {
    throw notFound("Pull request");
  }
  return { pull, repo };
}

const maySee = (
  ports: Pick<Ports, "access" | "host">,
  caller: Caller,
  repo: NamedRepo,
): Promise<boolean> => ports.access.may(ports.host, caller, hostRepoOf(repo), "read");

/** The repositories that the caller may see; only `repo-id` if it is given. */
async function visible(
  ports: Pick<Ports, "access" | "directory" | "host" | "repos">,
  caller: Caller,
  request: ApiRequest,
): Promise<readonly number[]> {
  const hostId = wholeParameter(request, "repo-id");
  if (hostId !== undefined) {
    const repo = await ports.directory.repo(ports.host, caller, hostId);
    if (!repo) throw notFound("Repo");
    return [repo.id];
  }
  const accounts = await ports.directory.accounts(ports.host, caller);
  const repos = await Promise.all(accounts.map(({ id }) => ports.repos.all(id)));
  if (ports.host.kind === "embedded") return repos.flat().map(({ id }) => id);
  const seen = await Promise.all(
    repos.flat().map(async (repo) => ((await maySee(ports, caller, repo)) ? [repo.id] : [])),
  );
  return seen.flat();
}

function limitOf(request: ApiRequest): number {
  const limit = wholeParameter(request, "limit") ?? 50;
  if (limit <= mostListed) return limit;
  throw invalidParameter("limit", `limit must be a whole number from 1 to ${mostListed}.`);
}

const nextOf = (rows: ReadonlyArray<{ readonly id: number }>, limit: number): number | null =>
  rows.length === limit ? (rows.at(-1)?.id ?? null) : null;
