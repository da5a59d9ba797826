/** The running plugin: its servers and hooks, how an edit changes them, and its stop. */

import type {
  Health,
  Panel,
  PluginContext,
  PluginInstance,
  PrepareAttempt,
  Prepared,
  StopReason,
} from "reeve/plugin";
import { inTurns } from "reeve/plugin";
import { type Assignment, assign } from "./assign.js";
import type { blocks, HookBlock, HooksConfiguration } from "./blocks/blocks.js";
import type { HooksControl } from "./control/routes.js";
import { HooksFiles } from "./file-hooks/hooks-files.js";
import { inspectSecrets } from "./inspect.js";
import { Notices } from "./notices/notices.js";
import { type PathTable, tableOf } from "./path-table.js";
import type { HookRuntime } from "./runs/hook-runtime.js";
import type { HookTools } from "./runs/hook-tools.js";
import { RunRecovery } from "./runs/run-recovery.js";
import { type AnyRuntime, HookRuntimes } from "./runs/runtimes.js";
import { ScheduleRunner } from "./schedules/schedule-runner.js";
import { schedulesPanel } from "./schedules/summary.js";
import { createHandler } from "./server/handler.js";
import { HookServer, sameSettings } from "./server/hook-server.js";
import { handlerOptions } from "./server/respond.js";
import { Tickets } from "./server/tickets.js";
import { tasksPanel } from "./tasks/summary.js";
import { TaskChain } from "./tasks/task-chain.js";
import { TaskRunner } from "./tasks/task-runner.js";
import {
  declareMetrics,
  declareNoticeMetric,
  declareScheduleMetrics,
  type HookMetrics,
} from "./telemetry/metrics.js";
import { hooksPanel } from "./telemetry/panels.js";
import { StatisticsStore } from "./telemetry/statistics-store.js";
import { watchesPanel } from "./watches/summary.js";
import { WatchRunner } from "./watches/watch-runner.js";

export class HooksInstance implements PluginInstance<typeof blocks> {
  readonly #context: PluginContext;
  readonly #metrics: HookMetrics;
  readonly #runtimes: HookRuntimes;
  readonly #ending = new AbortController();
  readonly #statistics: StatisticsStore;
  #servers: ReadonlyMap<string, HookServer> = new Map();
  #hooks: ReadonlyMap<string, HookRuntime> = new Map();
  readonly #files: HooksFiles;
  readonly #recovery: RunRecovery;
  readonly #scheduler: ScheduleRunner;
  readonly #watches: WatchRunner;
  readonly #tasks: TaskRunner;
  readonly #notices: Notices;
  #tickets: Tickets | undefined;

  constructor(context: PluginContext) {
    this.#context = context;
    this.#metrics = declareMetrics(context.metrics);
    const statistics = new StatisticsStore(context);
    this.#statistics = statistics;
    const failed = declareNoticeMetric(context.metrics);
    this.#notices = new Notices(context, { failed: (block) => failed.add(1, { block }) });
    const { signal } = this.#ending;
    const chain = new TaskChain(context, signal, this.#notices);
    const tools: HookTools = { context, metrics: this.#metrics, statistics, signal, chain };
    const runtimes = new HookRuntimes(tools);
    this.#runtimes = runtimes;
    this.#tasks = new TaskRunner(context, chain, runtimes);
    this.#files = new HooksFiles(tools, runtimes);
    const scheduleMetrics = declareScheduleMetrics(context.metrics);
    this.#scheduler = new ScheduleRunner(tools, scheduleMetrics, runtimes);
    this.#watches = new WatchRunner(tools, runtimes);
    this.#recovery = new RunRecovery(context, (run) => this.#ownerOf(run));
    context.signal.addEventListener("abort", this.#cutOff, { once: true });
  }

  /** Includes hooks of hooks files. */
  get hooks(): readonly HookRuntime[] {
    return [...this.#hooks.values(), ...this.#files.hooks];
  }

  get servers(): readonly HookServer[] {
    return [...this.#servers.values()];
  }

  /** For the control API. */
  get control(): HooksControl {
    const { runs, clock } = this.#context;
    return {
      servers: () => this.servers,
      runs,
      schedules: () => this.#scheduler.schedules,
      startSchedule: (block) => this.#scheduler.startNow(block),
      watches: () => this.#watches.watches,
      startWatch: (block) => this.#watches.startNow(block),
      tasks: () => this.#tasks.tasks,
      startTask: (block, given) => this.#tasks.startNow(block, given),
      now: () => clock.now(),
      cancel: (run) =>
        this.#runtimes.all.some(({ runs: open }) => open.cancel(run, "A user cancelled it.")),
    };
  }

  async prepare(
    next: HooksConfiguration,
    _previous: HooksConfiguration | undefined,
    attempt: PrepareAttempt,
  ): Promise<Prepared> {
    let refused = false;
    const report: PrepareAttempt["report"] = (range, message, options) => {
      refused ||= (options?.severity ?? "error") === "error";
      attempt.report(range, message, options);
    };
    const assigned = await assign(next.blocks, report);
    await inTurns(next.blocks.hook, (hook) => inspectSecrets(hook, report));
    if (refused) return { commit: () => undefined };
    if (next.blocks.hook.some(({ values }) => values.response?.values.poll)) {
      this.#tickets ??= await Tickets.of(this.#context.directories.state);
    }
    const files = await this.#files.prepare(next.blocks.hooks_file, report);
    if (refused) {
      await files.abort();
      return { commit: () => undefined };
    }
    const servers = await this.#openServers(assigned).catch(async (thrown: unknown) => {
      await files.abort();
      throw thrown;
    });
    await this.#statistics.read();
    const hooks = new Map<string, HookRuntime>();
    await inTurns(next.blocks.hook, (block) => void hooks.set(block.key, this.#runtimes.of(block)));
    const tables = new Map<string, PathTable>();
    for (const [key, { hooks: own }] of assigned) tables.set(key, await tableOf(own, hooks));
    await this.#recovery.load();
    return {
      commit: () => {
        files.commit();
        this.#commit({ assigned, servers, hooks, tables }, next.blocks.hook, attempt.changes);
        this.#notices.set(next.blocks.notify, next.blocks.ping);
        this.#tasks.set(next.blocks.task);
        this.#scheduler.set(next.blocks.schedule);
        this.#watches.set(next.blocks.watch);
        this.#recovery.begin();
      },
      abort: async () => {
        await this.#close(servers.values(), this.#servers);
        await files.abort();
      },
    };
  }

  async stop(reason: StopReason, signal: AbortSignal): Promise<void> {
    for (const server of this.servers) server.stopping = true;
    this.#recovery.end();
    await Promise.all([this.#scheduler.end(), this.#watches.end()]);
    if (reason !== "removed") for (const { runs } of this.#runtimes.all) runs.leave();
    if (signal.aborted) this.#cutOff();
    signal.addEventListener("abort", this.#cutOff, { once: true });
    await Promise.all(this.#runtimes.all.map((runtime) => runtime.drained()));
    await Promise.all(this.servers.map((server) => server.close()));
    await this.#files.close();
    await this.#statistics.close();
    signal.removeEventListener("abort", this.#cutOff);
  }

  /** The hook of a run; `gone` if it is not configured any more. */
  #ownerOf(subject: string): AnyRuntime | "gone" | undefined {
    const owner = this.#runtimes.get(subject);
    return owner ?? (this.#files.mayHave(subject) ? undefined : "gone");
  }

  /** Kills every command and cancels waiting runs. */
  readonly #cutOff = (): void => {
    for (const runtime of this.#runtimes.all) runtime.cutOff();
    this.#ending.abort();
  };

  health(): Health {
    const { problem } = this.#files;
    if (problem !== undefined) {
      const reason = `A hooks file is invalid; its previous hooks stay: ${problem}`;
      return { state: "degraded", reason };
    }
    const { problem: unwatched } = this.#watches;
    if (unwatched !== undefined) return { state: "degraded", reason: unwatched };
    for (const { block, meter } of this.#runtimes.configured) {
      const { cannotStart } = meter.statistics;
      if (cannotStart === undefined) continue;
      const reason = `Cannot start the command of the ${block.kind} "${block.label}": ${cannotStart}`;
      return { state: "degraded", reason };
    }
    return { state: "healthy" };
  }

  panels(): readonly Panel[] {
    const { schedules } = this.#scheduler;
    const now = this.#context.clock.now();
    return [
      hooksPanel(this.hooks),
      ...(schedules.length === 0 ? [] : [schedulesPanel(schedules, now)]),
      ...(this.#watches.watches.length === 0 ? [] : [watchesPanel(this.#watches.watches)]),
      ...(this.#tasks.tasks.length === 0 ? [] : [tasksPanel(this.#tasks.tasks)]),
    ];
  }

  /** Keeps servers with unchanged settings and opens the others beside them. */
  async #openServers(
    assigned: ReadonlyMap<string, Assignment>,
  ): Promise<ReadonlyMap<string, HookServer>> {
    const servers = new Map<string, HookServer>();
    try {
      for (const [key, { settings }] of assigned) {
        const present = this.#servers.get(key);
        if (present && sameSettings(present.settings, settings)) {
          servers.set(key, present);
          continue;
        }
        const server = new HookServer(settings, this.#context, () =>
          this.#metrics.requests.add(1, { hook: "", outcome: "unknown_hook" }),
        );
        servers.set(key, server);
        await server.open({ handle: createHandler(handlerOptions(server)) });
      }
      return servers;
    } catch (thrown) {
      await this.#close(servers.values(), this.#servers);
      throw thrown;
    }
  }

  #commit(
    { assigned, servers, hooks, tables }: NextServers,
    written: readonly HookBlock[],
    changes: PrepareAttempt["changes"],
  ): void {
    const before = { servers: this.#servers, hooks: this.#hooks };
    this.#servers = servers;
    this.#hooks = hooks;
    for (const block of written) {
      const hook = hooks.get(block.key);
      if (changes.get(block.key) === "unchanged") hook?.moved(block);
      else hook?.reconfigure(block);
      if (hook) this.#runtimes.add(hook);
    }
    for (const [key, server] of servers) {
      const assignment = assigned.get(key);
      if (assignment) server.settings = assignment.settings;
      server.tickets = this.#tickets;
      Object.assign(server, tables.get(key));
      server.files = this.#files.of(assignment?.files ?? []);
    }
    for (const [key, hook] of before.hooks) if (!hooks.has(key)) this.#runtimes.remove(hook);
    void this.#close(before.servers.values(), servers);
  }

  async #close(
    servers: Iterable<HookServer>,
    except: ReadonlyMap<string, HookServer>,
  ): Promise<void> {
    const kept = new Set(except.values());
    const gone = [...servers].filter((server) => !kept.has(server));
    await Promise.all(gone.map((server) => server.close()));
  }
}

/** What a commit puts in place; tables by server. */
interface NextServers {
  readonly assigned: ReadonlyMap<string, Assignment>;
  readonly servers: ReadonlyMap<string, HookServer>;
  readonly hooks: ReadonlyMap<string, HookRuntime>;
  readonly tables: ReadonlyMap<string, PathTable>;
}
