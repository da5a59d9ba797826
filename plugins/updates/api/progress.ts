/** Runs, pull requests, and why a dependency is not updated. */
import { closedByUser } from "../automerge/follow.js";
import type { Caller } from "../hosts/contract.js";
import { preview } from "../runs/run.js";
import type { UpdatesRuntime } from "../runtime.js";
import { type NamedRepo, placeOf } from "../store/repos.js";
import type { Pull } from "../store/tables.js";
import { fieldsOf, oneOf } from "./body.js";
import { found, mayPush } from "./configs.js";
import { ApiError, notFound } from "./errors.js";
import { type ApiRequest, idOf, invalidParameter, parameter, wholeParameter } from "./request.js";
import { pullResource, runResource } from "./resources.js";

const mostListed = 200;

export async function listRuns(service: UpdatesRuntime, caller: Caller, asked: ApiRequest) {
  const limit = limitOf(asked);
  const configId = wholeParameter(asked, "update-config-id");
  const before = wholeParameter(asked, "before");
  const repoIds = await visible(service, caller, asked);
  const runs = await service.store.runs.list({
    repoIds,
    limit,
    ...(configId === undefined ? {} : { configId }),
    ...(before === undefined ? {} : { before }),
  });
  return { data: runs.map(runResource), meta: { next: nextOf(runs, limit) } };
}

export async function oneRun(service: UpdatesRuntime, caller: Caller, asked: ApiRequest) {
  const run = await service.store.runs.byId(idOf(asked));
  const repo = run && (await service.store.repos.byId(run.repo_id));
  if (!run || !repo || !(await maySee(service, caller, repo))) throw notFound("Run");
  return { data: runResource(run) };
}

export async function listPulls(service: UpdatesRuntime, caller: Caller, asked: ApiRequest) {
  const limit = limitOf(asked);
  const state = parameter(asked, "state");
  if (state !== undefined && !["open", "merged", "closed"].includes(state)) {
    throw invalidParameter("state", "The parameter state must be open, merged or closed.");
  }
  const before = wholeParameter(asked, "before");
  const configId = wholeParameter(asked, "update-config-id");
  const pulls = await service.store.pulls.list({
    repoIds: await visible(service, caller, asked),
    limit,
    ...(state === undefined ? {} : { state: state as Pull["state"] }),
    ...(configId === undefined ? {} : { configId }),
    ...(before === undefined ? {} : { before }),
  });
  const dependencies = await service.store.pulls.dependencies(pulls.map(({ id }) => id));
  return {
    data: pulls.map((pull) => pullResource(pull, dependencies.get(pull.id) ?? [])),
    meta: { next: nextOf(pulls, limit) },
  };
}

export async function onePull(service: UpdatesRuntime, caller: Caller, asked: ApiRequest) {
  const { pull } = await pullFor(service, caller, asked);
  return { data: await shown(service, pull) };
}

/** Closing it ignores these versions. */
export async function changePull(service: UpdatesRuntime, caller: Caller, asked: ApiRequest) {
  const { pull, repo } = await pullFor(service, caller, asked);
  await mayPush(service, caller, repo);
  fieldsOf(asked.body, { state: { read: oneOf(["closed"]), required: true } });
  if (pull.state !== "open") {
    throw new ApiError(409, `The pull request is ${pull.state} already.`, { code: "not_open" });
  }
  const config = await service.store.configs.byId(pull.config_id);
  if (!config) throw notFound("Update config");
  return { data: await shown(service, await closedByUser(service, { pull, repo, config })) };
}

/** What a run would say now of every dependency, or of one; nothing is changed. */
export async function why(service: UpdatesRuntime, caller: Caller, asked: ApiRequest) {
  const { config, repo } = await found(service, caller, idOf(asked));
  const name = parameter(asked, "name");
  const outcomes = await preview(service, config, repo, name === undefined ? undefined : [name]);
  return {
    data: outcomes.map(({ name: id, ...attributes }) => ({
      id,
      type: "dependencies",
      attributes: { name: id, ...attributes },
    })),
  };
}

async function shown(service: UpdatesRuntime, pull: Pull) {
  const dependencies = await service.store.pulls.dependencies([pull.id]);
  return pullResource(pull, dependencies.get(pull.id) ?? []);
}

async function pullFor(service: UpdatesRuntime, caller: Caller, asked: ApiRequest) {
  const pull = await service.store.pulls.byId(idOf(asked));
  const repo = pull && (await service.store.repos.byId(pull.repo_id));
  if (!repo || pull.state === "preparing" || !(await maySee(service, caller, repo))) {
    throw notFound("Pull request");
  }
  return { pull, repo };
}

const maySee = (service: UpdatesRuntime, caller: Caller, repo: NamedRepo): Promise<boolean> =>
  service.access.may(service.host, caller, placeOf(repo), "read");

/** The repositories that the caller may see; of `repo-id` alone, where that is given. */
async function visible(
  service: UpdatesRuntime,
  caller: Caller,
  asked: ApiRequest,
): Promise<readonly number[]> {
  const hostId = wholeParameter(asked, "repo-id");
  if (hostId !== undefined) {
    const repo = await service.book.repo(service.host, caller, hostId);
    if (!repo) throw notFound("Repo");
    return [repo.id];
  }
  const accounts = await service.book.accounts(service.host, caller);
  const repos = await Promise.all(accounts.map(({ id }) => service.store.repos.all(id)));
  if (service.host.kind === "embedded") return repos.flat().map(({ id }) => id);
  const seen = await Promise.all(
    repos.flat().map(async (repo) => ((await maySee(service, caller, repo)) ? [repo.id] : [])),
  );
  return seen.flat();
}

function limitOf(asked: ApiRequest): number {
  const limit = wholeParameter(asked, "limit") ?? 50;
  if (limit <= mostListed) return limit;
  throw invalidParameter("limit", `limit must be a whole number from 1 to ${mostListed}.`);
}

const nextOf = (rows: ReadonlyArray<{ readonly id: number }>, limit: number): number | null =>
  rows.length === limit ? (rows.at(-1)?.id ?? null) : null;
