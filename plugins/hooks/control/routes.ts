/** The plugin's routes of the control API; `../evidence/api.ts` lists them with their responses. */
import type { Routes, Runs } from "reeve/plugin";
import { pathOf, rivalsOf } from "../assign.js";
import type { ManualRequest, RunTrigger, TaskRequest } from "../evidence/api.js";
import { configuredSecrets } from "../evidence/secrets.js";
import { restored } from "../evidence/stored-request.js";
import type { ServedHook } from "../file-hooks/respond.js";
import type { ScheduleRunner, ScheduleState } from "../schedules/schedule-runner.js";
import { scheduleSummary } from "../schedules/summary.js";
import type { HookServer } from "../server/hook-server.js";
import { needsTokens } from "../server/token-verifier.js";
import { taskSummary } from "../tasks/summary.js";
import type { TaskState } from "../tasks/task-chain.js";
import type { TaskRunner } from "../tasks/task-runner.js";
import type { ManualStart } from "../triggers/start.js";
import { watchSummary } from "../watches/summary.js";
import type { WatchRunner, WatchState } from "../watches/watch-runner.js";
import { explained, type HookTarget, incomingOf, triggerManually } from "./manual-trigger.js";
import { detailOf, summaryOf } from "./summary.js";

/** The plugin as the routes see it, read for every request. */
export interface HooksControl {
  readonly servers: () => readonly HookServer[];
  readonly runs: Pick<Runs, "get">;
  readonly schedules: () => readonly ScheduleState[];
  readonly startSchedule: ScheduleRunner["startNow"];
  readonly watches: () => readonly WatchState[];
  readonly startWatch: WatchRunner["startNow"];
  readonly tasks: () => readonly TaskState[];
  readonly startTask: TaskRunner["startNow"];
  readonly now: () => number;
  /** Cancels a running or queued run. Returns whether there was one. */
  readonly cancel: (run: string) => boolean;
}

type Placed = Omit<HookTarget, "secrets"> & {
  readonly url: string;
  readonly tokens: HookServer["tokens"];
};

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly help?: string;
}

export const controlRoutes =
  ({
    servers,
    runs,
    schedules,
    startSchedule,
    watches,
    startWatch,
    tasks,
    startTask,
    now,
    cancel,
  }: HooksControl): Routes =>
  (app) => {
    const hooks = (): readonly Placed[] => servers().flatMap(placed);
    const find = (name: string): HookTarget & Placed => {
      const all = hooks();
      const found = all.find((hook) => hook.name === name);
      if (found)
        return { ...found, secrets: configuredSecrets(all.map(({ runtime }) => runtime.block)) };
      throw problem(404, "unknown_hook", `There is no hook "${name}" here.`, {
        help: all.length === 0 ? "" : `There is: ${all.map((hook) => hook.name).join(", ")}.`,
      });
    };
    const runOf = async (id: string) => {
      const run = await runs.get(id);
      if (run) return run;
      throw problem(404, "unknown_run", `There is no run \`${id}\`, or its record has expired.`);
    };

    app.setErrorHandler((thrown, _request, reply) => {
      if (!isProblem(thrown)) throw thrown;
      return reply
        .code(thrown.status)
        .type("application/problem+json")
        .send(JSON.stringify(thrown));
    });
    app.get("/", () => ({ hooks: hooks().map((hook) => summaryOf(hook, hook.url)) }));
    app.get("/schedules", () => ({
      schedules: schedules().map((schedule) => scheduleSummary(schedule, now())),
    }));
    app.post<{ Body: { schedule: string } }>(
      "/schedule/run",
      async ({ body: { schedule: name } }) => {
        const { block } = named(schedules(), "schedule", name);
        return byHand("schedule", await startSchedule(block));
      },
    );
    app.get("/watches", () => ({ watches: watches().map(watchSummary) }));
    app.post<{ Body: { watch: string } }>("/watch/run", async ({ body: { watch: name } }) => {
      const { block } = named(watches(), "watch", name);
      return byHand("watch", await startWatch(block));
    });
    app.get("/tasks", () => ({ tasks: tasks().map(taskSummary) }));
    app.post<{ Body: TaskRequest }>(
      "/task/run",
      async ({ body: { task: name, parameters = {} } }) => {
        const { block } = named(tasks(), "task", name);
        return byHand("task", await startTask(block, parameters));
      },
    );
    app.get<{ Querystring: { name?: string } }>("/hook", ({ query: { name = "" } }) => {
      const hook = find(name);
      return detailOf(hook, hook.url);
    });
    app.post<{ Body: ManualRequest }>("/explain", { bodyLimit: LARGEST }, async ({ body }) => {
      const hook = find(body.hook);
      const { block } = hook.runtime;
      const request = incomingOf(body, block.values.methods, now());
      const verified = needsTokens(block) ? await hook.tokens.withTokens(request, block) : request;
      return explained(hook, verified, "proves");
    });
    app.post<{ Body: ManualRequest }>("/trigger", { bodyLimit: LARGEST }, ({ body }) => {
      const hook = find(body.hook);
      const manner = { from: "by hand", dryRun: body.dryRun === true };
      return triggerManually(
        hook,
        incomingOf(body, hook.runtime.block.values.methods, now()),
        manner,
      );
    });
    app.post<{ Body: { run: string; dryRun?: boolean } }>("/replay", async ({ body }) => {
      const run = await runOf(body.run);
      const trigger = run.request as RunTrigger | undefined;
      if (trigger?.request === undefined) {
        throw problem(409, "not_replayable", `The request of run \`${run.id}\` is not stored.`);
      }
      const hook = find(trigger.hook);
      const request = restored(trigger.request, now());
      if (typeof request === "string") {
        throw problem(409, "not_replayable", `Run \`${run.id}\`: ${request}`, {
          help: "Trigger it with the body from a file: `reeve hook trigger HOOK --body FILE`.",
        });
      }
      return triggerManually(hook, request, {
        from: `replay of ${run.id}`,
        replayOf: run.id,
        dryRun: body.dryRun === true,
      });
    });
    app.post<{ Body: { run: string } }>("/cancel", async ({ body }) => {
      const run = await runOf(body.run);
      if (cancel(run.id)) return { run: run.id, state: "cancelled" };
      throw problem(409, "not_running", `The run \`${run.id}\` has ended: it is ${run.state}.`);
    });
  };

function named<State extends { readonly block: { readonly label?: string | undefined } }>(
  states: readonly State[],
  kind: string,
  name: string,
): State {
  const found = states.find(({ block }) => block.label === name);
  if (found) return found;
  throw problem(404, `unknown_${kind}`, `There is no ${kind} "${name}" here.`);
}

function byHand(kind: string, started: ManualStart): { readonly run: string } {
  if ("run" in started) return started;
  throw problem(409, `${kind}_refused`, started.refused);
}

/** Bytes of a manual request. */
const LARGEST = 64 * 1024 * 1024;

function problem(
  status: number,
  code: string,
  detail: string,
  { help = "" }: { readonly help?: string } = {},
): Problem {
  return {
    type: `urn:reeve:hooks.${code}`,
    title: status === 404 ? "Not found" : "Conflict",
    status,
    code: `hooks.${code}`,
    detail,
    ...(help === "" ? {} : { help }),
  };
}

const isProblem = (thrown: unknown): thrown is Problem =>
  typeof thrown === "object" && thrown !== null && "detail" in thrown && "code" in thrown;

function placed({ url, runtimes, files, tokens }: HookServer): readonly Placed[] {
  const blocks = runtimes.map(({ block }) => block);
  const written = runtimes.map((runtime) => ({
    name: runtime.block.label ?? "",
    runtime,
    rivals: rivalsOf(runtime.block, blocks),
    tokens,
    url: `${url}/${pathOf(runtime.block)}`,
  }));
  const fromFiles = files
    .flatMap((file) => [...file.hooks])
    .map(([name, served]) => ({
      name,
      runtime: served.runtime,
      // The daemon's hooks files have hooks of this type only.
      served: served as unknown as ServedHook,
      tokens,
      url: `${url}/${name}`,
    }));
  return [...written, ...fromFiles];
}
