/**
 * The daemon's configuration over time: read at the start, and again on changes or on request, one attempt at a time.
 * `generation-manager.ts` applies attempts; `daemon/watch` watches files.
 */
import { dirname } from "node:path";
import type { Source } from "../../grammar/diagnostic.js";
import { defaultSettings } from "../config/daemon-block.js";
import { planInSlices } from "../config/plan.js";
import type { HostProbe, PluginCatalog, Program } from "../config/program.js";
import { errorMessage, ReeveError } from "../errors.js";
import type { PluginHost } from "../host/contract.js";
import type { Log } from "../plugin-api/context.js";
import { startTimer, type Timer } from "../services/clock.js";
import type { DaemonServices } from "../services/contract.js";
import { StableWatcher } from "../watch/stable-watcher.js";
import type { Candidate } from "./candidate.js";
import type {
  Generation,
  ReloadOutcome,
  StartableReloader,
  StartOutcome,
  Trigger,
} from "./contract.js";
import type { Degraded } from "./drift-status.js";
import { earlierSnapshot } from "./earlier-snapshot.js";
import { GenerationHistory } from "./generation-history.js";
import { GenerationManager } from "./generation-manager.js";
import { gitState } from "./git.js";
import { ExaminationPace, reportLacks } from "./host-conditions.js";
import { InvalidConfiguration } from "./invalid.js";
import { loadWith } from "./load-with-code.js";
import { Preparations } from "./preparations.js";
import { type ConfigurationRead, readConfiguration } from "./reading.js";
import { GenerationReporter } from "./report.js";
import { RecordingDisk, type Snapshot, snapshotDisk, sourcesOf } from "./snapshot.js";
import { SnapshotArchive } from "./snapshot-archive.js";

export interface ReloaderOptions {
  /** Absolute path of the configuration's root file. */
  readonly root: string;
  /** Absolute directory that survives restarts, the daemon's own. */
  readonly state: string;
  readonly kit: DaemonServices;
  readonly host: PluginHost;
  /** @default the host's */
  readonly catalog?: PluginCatalog;
  /** Milliseconds that plugins may continue to prepare after a newer edit. @default 500 */
  readonly grace?: number;
  /** The commit of what is on disk. @default what git says about the directory */
  readonly git?: () => Promise<Generation["git"]>;
  /** The caller prints why the start was refused. */
  readonly printed?: boolean;
}

export async function createReloader(options: ReloaderOptions): Promise<StartableReloader> {
  const { state, kit } = options;
  const log = kit.log.child({ part: "reload" });
  const archive = await SnapshotArchive.open(state, log);
  const ledger = await GenerationHistory.open(
    kit.records("generations"),
    log,
    await archive.newest(),
  );
  return new Follower(options, log, archive, ledger);
}

/** Of one file that is watched; the code of a plugin may be in one large file. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Milliseconds between two updates of what grows while nothing happens. */
const TICK = 5_000;

class Follower implements StartableReloader {
  readonly #root: string;
  readonly #kit: DaemonServices;
  readonly #log: Log;
  readonly #catalog: PluginCatalog;
  readonly #probe: HostProbe | undefined;
  readonly #archive: SnapshotArchive;
  readonly #ledger: GenerationHistory;
  readonly #report: GenerationReporter;
  readonly #watch: StableWatcher;
  readonly #succession: GenerationManager;
  readonly #over = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();
  /** What the disk was when it was last tried, whatever became of it. */
  #tried: { readonly hash: string; readonly sourceHash: string | undefined } | undefined;
  #editWaits = false;
  readonly #preparations: Preparations;
  readonly #examination = new ExaminationPace();

  constructor(
    options: ReloaderOptions,
    log: Log,
    archive: SnapshotArchive,
    ledger: GenerationHistory,
  ) {
    const { root, kit, host, catalog = host.catalog, grace = 500, printed } = options;
    const { git = () => gitState(dirname(root)) } = options;
    this.#root = root;
    this.#kit = kit;
    this.#log = log;
    this.#catalog = catalog;
    const runs = (key: string) => this.program?.blocks.has(key) === true;
    this.#probe = host.probe && { ...host.probe, runs };
    this.#archive = archive;
    this.#ledger = ledger;
    this.#report = new GenerationReporter(kit, log, printed);
    this.#watch = new StableWatcher({
      log,
      clock: kit.clock,
      quietTime: defaultSettings.settle,
      maxBytes: MAX_BYTES,
      changed: () => this.#edited(),
    });
    const { signal } = this.#over;
    this.#preparations = new Preparations(host, kit.clock, signal, grace);
    this.#succession = new GenerationManager({
      git,
      kit,
      log,
      host,
      ledger,
      archive,
      report: this.#report,
      signal,
      preparations: this.#preparations,
      inTurn: (task) => this.#inBackground(task),
      adopt: ({ daemon }) => {
        kit.setLogLevel(daemon.logLevel);
        kit.setRunLimits(daemon.runs);
        this.#watch.quietTime = daemon.settle;
      },
    });
  }

  get current(): Generation | undefined {
    return this.#succession.current;
  }
  get program(): Program | undefined {
    return this.#succession.program;
  }
  get degraded(): Degraded | undefined {
    const { degraded } = this.#succession.drift;
    const { held } = this.#watch;
    if (degraded || held === undefined) return degraded;
    const { activity, since } = held;
    return {
      reason: `The configuration on disk has changed and is read when git is done with ${activity}.`,
      since,
    };
  }

  async start(): Promise<StartOutcome> {
    try {
      const outcome = await this.#inTurn(() => this.#boot());
      await this.#examine();
      this.#tick().catch(() => undefined);
      return outcome;
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }

  async stop(): Promise<void> {
    this.#over.abort(new ReeveError("stopping", "The daemon ends."));
    this.#succession.stop();
    await this.#watch.close();
    await this.#turn;
  }

  history(limit?: number): Promise<readonly Generation[]> {
    return this.#ledger.list(limit);
  }

  async sources(generation: number): Promise<ReadonlyMap<string, Source>> {
    const snapshot = await this.#archive.get(generation);
    return snapshot ? sourcesOf(snapshot) : new Map();
  }

  reload(trigger: Trigger): Promise<ReloadOutcome> {
    return this.#inTurn(async () => {
      const began = startTimer(this.#kit.clock);
      return this.#tryLatest(await this.#read(), trigger, began);
    });
  }

  async plan() {
    const { loaded } = await loadWith(this.#root, this.#catalog, new RecordingDisk(), this.#probe);
    const { program, diagnostics, sources } = loaded;
    const changes = program && (await planInSlices(this.program, program));
    return { plan: changes, diagnostics, sources };
  }

  rollback(number: number): Promise<ReloadOutcome> {
    return this.#inTurn(async () => {
      const began = startTimer(this.#kit.clock);
      const snapshot = await earlierSnapshot(number, this.#root, this.#ledger, this.#archive);
      const instead = `Generation ${number} was put back by hand; the configuration on disk is read when it changes.`;
      const candidate = await this.#candidate(snapshot, "rollback", began);
      const isOnDisk = candidate.hash === this.#tried?.sourceHash;
      return this.#succession.apply(isOnDisk ? candidate : { ...candidate, instead });
    });
  }

  /** Attempts never overlap. */
  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(() => {
      this.#over.signal.throwIfAborted();
      return task();
    });
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #inBackground(task: () => Promise<unknown>): void {
    this.#inTurn(task).catch((thrown: unknown) => {
      if (this.#over.signal.aborted) return;
      this.#log.error("A change of the configuration failed", { reason: errorMessage(thrown) });
    });
  }

  /** However many edits come while an attempt is under way, one attempt follows it. */
  #edited(): void {
    if (this.#editWaits) return;
    this.#editWaits = true;
    this.#preparations.endWhile(() => this.#editWaits);
    this.#inBackground(async () => {
      this.#editWaits = false;
      const began = startTimer(this.#kit.clock);
      const reading = await this.#read();
      if (reading.hash !== this.#tried?.hash) await this.#tryLatest(reading, "edit", began);
    });
  }

  async #tick(): Promise<void> {
    for (;;) {
      await this.#kit.clock.sleep(TICK, this.#over.signal);
      this.#report.stale(this.#succession.drift.staleSince);
      await this.#examination.again(this.#kit.clock, () => this.#examine());
    }
  }

  async #examine(): Promise<void> {
    const { program, code } = this.#succession;
    if (program && this.#probe) await reportLacks(program, code, this.#probe, this.#kit);
  }

  #read(): Promise<ConfigurationRead> {
    const { clock } = this.#kit;
    const { signal } = this.#over;
    return readConfiguration(
      { root: this.#root, catalog: this.#catalog, host: this.#probe, clock, signal },
      this.#watch,
    );
  }

  /** Again where an edit is reported meanwhile and ends the attempt: it may be the very edit that was tried. */
  async #tryLatest(
    first: ConfigurationRead,
    trigger: Trigger,
    began: Timer,
  ): Promise<ReloadOutcome> {
    let outcome = await this.#try(first, trigger, began);
    while (outcome.generation.state === "rejected" && this.#editWaits) {
      this.#editWaits = false;
      outcome = await this.#try(await this.#read(), trigger, began);
    }
    return outcome;
  }

  #try(reading: ConfigurationRead, trigger: Trigger, began: Timer): Promise<ReloadOutcome> {
    this.#tried = { hash: reading.hash, sourceHash: reading.loaded.program?.sourceHash };
    return this.#succession.apply({ ...reading, trigger, began });
  }

  async #boot(): Promise<StartOutcome> {
    const began = startTimer(this.#kit.clock);
    const first = await this.#tryLatest(await this.#read(), "boot", began);
    if (first.generation.state !== "rejected") return first;
    const good = await this.#archive.lastGood();
    if (good?.snapshot.root === this.#root) {
      const instead = `The configuration on disk was refused: ${first.generation.reason}; the last good one, of generation ${good.generation}, runs instead.`;
      const candidate = await this.#candidate(good.snapshot, "boot", began);
      if (candidate.loaded.program?.sourceHash !== first.generation.sourceHash) {
        const second = await this.#succession.apply({ ...candidate, instead });
        if (second.generation.state !== "rejected") return { ...second, refused: first };
      }
    }
    throw new InvalidConfiguration(first);
  }

  async #candidate(snapshot: Snapshot, trigger: Trigger, began: Timer): Promise<Candidate> {
    const { loaded, code } = await loadWith(
      this.#root,
      this.#catalog,
      snapshotDisk(snapshot),
      this.#probe,
    );
    const hash = loaded.program?.sourceHash ?? "";
    return { loaded, code, snapshot, hash, trigger, began };
  }
}
