/** One plugin, alive in everything real, and what a test may do with it and see of it. */
import { writeFile } from "node:fs/promises";
import type { Diagnostic, Source } from "../../grammar/diagnostic.js";
import { render } from "../../grammar/render.js";
import { load } from "../config/load.js";
import { plan } from "../config/plan.js";
import type { Plan, Program } from "../config/program.js";
import { ReeveError } from "../errors.js";
import type { PluginStatus, PreparedGeneration } from "../host/contract.js";
import type { Panel } from "../plugin-api/panel.js";
import type { Health } from "../plugin-api/plugin.js";
import type { RunFilter, RunRecord } from "../plugin-api/state.js";
import type { DaemonEvent } from "../services/contract.js";
import { FakeClock } from "../services/fake-clock.js";
import { sendRequest, type TestAnswer, type TestRequest } from "./request.js";
import type { TestServices } from "./test-services.js";
import { until } from "./until.js";

/** What became of a configuration. */
export interface Reloaded {
  readonly committed: boolean;
  /** Why it was refused, in one sentence. */
  readonly reason: string | undefined;
  /** Absent where the text itself is wrong. */
  readonly plan: Plan | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** What was read, by the names that places in diagnostics use. */
  readonly sources: ReadonlyMap<string, Source>;
  /** The diagnostics as people see them, with carets; empty where there are none. */
  readonly text: string;
}

/** Exactly one of `commit` and `abort` is called, if there is something to commit. */
export interface PreparedReload {
  readonly outcome: Reloaded;
  /** `undefined` where the configuration was refused. Commits, and lets go of what was before. */
  readonly commit: (() => Promise<void>) | undefined;
  readonly abort: (() => Promise<void>) | undefined;
}

/** A line of the log: `level`, `time`, `message`, and the fields it was given. */
export type LoggedFields = Readonly<Record<string, unknown>>;

/** Milliseconds that everything has to end in, unless the test says otherwise. */
const PATIENCE = 10_000;

export class PluginUnderTest {
  readonly id: string;
  /** Absolute path of the folder with the configuration and the other files. */
  readonly folder: string;
  readonly #services: TestServices;
  readonly #clock: FakeClock | undefined;
  readonly #events: DaemonEvent[] = [];
  #program: Program | undefined;
  #generation = 0;
  #stopped: Promise<void> | undefined;

  /** @internal Tests call `testPlugin`. */
  constructor(id: string, services: TestServices, clock: FakeClock | undefined) {
    this.id = id;
    this.folder = services.folder;
    this.#services = services;
    this.#clock = clock;
    services.kit.events.subscribe((event) => this.#events.push(event));
  }

  // ---------------------------------------------------------------- doing

  /** Goes from what runs to `text`, without probation; or stays and tells why. */
  async reload(text: string): Promise<Reloaded> {
    const { outcome, commit } = await this.prepare(text);
    await commit?.();
    return outcome;
  }

  /** Everything up to the commit. */
  async prepare(
    text: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<PreparedReload> {
    const { root, host } = this.#services;
    await writeFile(root, text);
    const { program, diagnostics, sources } = await load(root, {
      catalog: host.catalog,
      host: host.probe,
    });
    if (!program) {
      const reason = "The configuration is not valid.";
      const outcome = reloaded(false, reason, undefined, diagnostics, sources);
      return { outcome, commit: undefined, abort: undefined };
    }
    this.#generation += 1;
    const changes = plan(this.#program, program);
    const answer = await host.prepare(program, changes, this.#generation, signal);
    const all = [...diagnostics, ...answer.diagnostics];
    const reason = answer.ok ? undefined : answer.reason;
    const outcome = reloaded(answer.ok, reason, changes, all, sources);
    if (!answer.ok) return { outcome, commit: undefined, abort: undefined };
    const { prepared } = answer;
    return {
      outcome,
      commit: () => this.#commit(program, prepared),
      abort: () => prepared.abort(),
    };
  }

  /** A request to where the plugin serves. @throws ReeveError when nothing, or more than one thing, serves its path. */
  async inject(request: TestRequest): Promise<TestAnswer> {
    return sendRequest(request.address ?? this.#addressFor(request.url), request);
  }

  /** A request to the plugin's part of the control API: `/v1/<plugin id>/…`. */
  async control(request: TestRequest): Promise<TestAnswer> {
    return sendRequest(this.#services.control, request);
  }

  /** Its instance dies. Resolves when another one runs in its place. @throws Error when it does not start */
  async crash(): Promise<void> {
    const { restarts, pid } = this.status;
    if (pid === undefined) await this.#services.host.fail(this.id, "It was made to fail.");
    else process.kill(pid, "SIGKILL");
    await until(async () => {
      const { state, failure, restarts: now } = this.status;
      if (state === "running" && now > restarts) return true;
      if (["backoff", "quarantined"].includes(state) && now > restarts) {
        throw new Error(`After a crash it did not start again: ${failure?.reason}`);
      }
      if (state === "backoff") await this.#clock?.advance(100);
      return false;
    }, `${this.id} to run again after a crash`);
  }

  /** As `reeve plugin restart`: another instance takes its place. @throws ReeveError when it does not start. */
  async restart(): Promise<void> {
    await this.#services.host.restart(this.id);
  }

  /** Ends and removes everything. What still runs when `signal` fires is cut off. @default after 10 s */
  stop(signal: AbortSignal = AbortSignal.timeout(PATIENCE)): Promise<void> {
    this.#stopped ??= this.#services.close(signal);
    return this.#stopped;
  }

  // ---------------------------------------------------------------- seeing

  /** All events so far, also the daemon's own, oldest first. */
  get events(): readonly DaemonEvent[] {
    return this.#events;
  }

  /** The log so far, also the daemon's own lines. */
  get log(): readonly LoggedFields[] {
    const lines = this.#services.log().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LoggedFields);
  }

  /** Prometheus text exposition. */
  metrics(): Promise<string> {
    return this.#services.kit.metrics.text();
  }

  /** Newest first. */
  runs(filter?: RunFilter): Promise<readonly RunRecord[]> {
    return this.#services.kit.runs.list(filter);
  }

  /** One of them, with what asked for it. */
  run(id: string): Promise<RunRecord | undefined> {
    return this.#services.kit.runs.get(id);
  }

  /** None while it does not run, or where it fails to give them in time. */
  async panels(): Promise<readonly Panel[]> {
    const all = await this.#services.host.panels();
    return all.find(({ plugin }) => plugin === this.id)?.panels ?? [];
  }

  /** Asked now; `undefined` while no block of the plugin is configured. */
  async health(): Promise<Health | undefined> {
    return (await this.#services.host.health()).get(this.id);
  }

  /** @throws ReeveError before the first configuration. */
  get status(): PluginStatus {
    const status = this.#services.host.status().find(({ id }) => id === this.id);
    if (status) return status;
    throw new ReeveError("no_such_plugin", `The plugin "${this.id}" has not been configured yet.`);
  }

  /** Open addresses, with the prefixes that are served there. */
  get listeners(): ReadonlyArray<{
    readonly address: string;
    readonly prefixes: readonly string[];
  }> {
    return this.#services.listeners.list();
  }

  /** Waits, in real time, until `holds`. @throws Error naming `what` after 20 s */
  until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    return until(holds, what);
  }

  async #commit(program: Program, prepared: PreparedGeneration): Promise<void> {
    prepared.commit();
    this.#program = program;
    await prepared.release();
  }

  #addressFor(url: string): string {
    const [path = "/"] = url.split("?");
    const covers = (prefix: string): boolean =>
      prefix === "/" || path === prefix || path.startsWith(`${prefix}/`);
    const serving = this.listeners.filter(({ prefixes }) => prefixes.some(covers));
    const [only] = serving;
    if (only && serving.length === 1) return only.address;
    const found = this.listeners.map(({ address, prefixes }) => `${address} ${prefixes.join(" ")}`);
    throw new ReeveError(
      "no_single_listener",
      `${serving.length === 0 ? "Nothing serves" : "Several addresses serve"} ${path}. Open: ${found.join(", ") || "none"}.`,
      { help: "Give the request an `address`, one of `listeners`." },
    );
  }
}

function reloaded(
  committed: boolean,
  reason: string | undefined,
  changes: Plan | undefined,
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, Source>,
): Reloaded {
  const text = diagnostics.length === 0 ? "" : render(diagnostics, sources);
  return { committed, reason, plan: changes, diagnostics, sources, text };
}
