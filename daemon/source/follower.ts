/**
 * Follows a branch: polls, judges the newest commit, writes it, and applies it as a generation. What runs is on disk, so a start
 * needs no network. One step at a time.
 */
import { errorMessage, ReeveError } from "../errors.js";
import { steady } from "../services/clock.js";
import type { DaemonServices } from "../services/contract.js";
import { AppliedCommits, type AppliedCommitsOptions } from "./applied-commits.js";
import {
  type SourceActions,
  SourceRefusal,
  type SourceSettings,
  type SourceStatus,
} from "./contract.js";
import { sourceFindings } from "./findings.js";
import { SourceMemory } from "./memory.js";
import { createSourceMetrics, type SourceMetrics } from "./telemetry.js";

export interface SourceFollowerOptions extends AppliedCommitsOptions {
  readonly settings: SourceSettings;
  readonly kit: Pick<
    DaemonServices,
    "clock" | "log" | "events" | "metrics" | "conditions" | "records" | "mask"
  >;
  /** @default Math.random */
  readonly random?: () => number;
}

/** Milliseconds; the wait doubles up to it while the repository does not answer. */
const LONGEST_WAIT = 600_000;
const SHORTEST_WAIT = 2_000;

export class SourceFollower implements SourceActions {
  readonly #options: SourceFollowerOptions;
  readonly #metrics: SourceMetrics;
  readonly #over = new AbortController();
  readonly #memory: SourceMemory;
  readonly #applied: AppliedCommits;
  #failure: SourceStatus["failure"];
  #contactAt: number | undefined;
  /** A commit that may follow any other. */
  #accepted: string | undefined;
  #awake = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();
  #unsubscribe = (): void => undefined;

  constructor(options: SourceFollowerOptions) {
    this.#options = options;
    this.#memory = new SourceMemory(options.kit.records("source"));
    this.#metrics = createSourceMetrics(options.kit.metrics.scoped("source"));
    this.#applied = new AppliedCommits(options, this.#memory, this.#metrics);
  }

  /** Resolves when a commit is on disk; without one it waits for the repository. */
  async prepare(): Promise<void> {
    await this.#options.mirror.open();
    await this.#memory.open();
    await this.#applied.open();
    while (this.#isWaiting && !this.#over.signal.aborted) {
      await this.#inTurn(() => this.#poll());
      if (this.#isWaiting) await this.#wait();
    }
    this.#report();
  }

  /** From now on commits are applied to the running daemon. */
  follow(): void {
    this.#applied.isRunning = true;
    const { events, log } = this.#options.kit;
    this.#unsubscribe = events.subscribe(({ type, data }) => {
      const isConfirmed = type === "config.confirmed";
      if (!isConfirmed && type !== "config.rolled_back") return;
      const reason = String(data.reason ?? "it was unhealthy");
      this.#inTurn(async () => {
        await (isConfirmed ? this.#applied.confirmed() : this.#applied.rolledBack(reason));
        this.#report();
      }).catch((thrown) =>
        log.error("Cannot end a commit's probation", { reason: errorMessage(thrown) }),
      );
    });
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#unsubscribe();
    await this.#loop;
    await this.#turn;
  }

  status(): SourceStatus {
    const { url, branch, path } = this.#options.settings;
    const { applied, refused, pausedUntil } = this.#memory;
    return {
      ...{ url, branch, path, commit: this.#applied.commit, appliedAt: applied?.at },
      ...{ contactAt: this.#contactAt, failure: this.#failure, refused, pausedUntil },
    };
  }

  async poll(): Promise<void> {
    await this.#inTurn(() => this.#poll());
  }

  async retry(): Promise<void> {
    await this.#inTurn(() => this.#retry());
  }

  async pause(duration: number): Promise<void> {
    await this.#inTurn(async () => {
      await this.#memory.set({ pausedUntil: this.#options.kit.clock.now() + duration });
      this.#report();
    });
    this.#wake();
  }

  async resume(): Promise<void> {
    await this.#inTurn(() => this.#resume());
    this.#wake();
  }

  async accept(commit: string): Promise<void> {
    await this.#inTurn(async () => {
      const tip = await this.#options.mirror.remoteTip();
      if (!tip.startsWith(commit)) {
        const newest = `The newest commit of the branch is ${tip.slice(0, 12)}, not ${commit}.`;
        throw new ReeveError("not_the_newest", newest);
      }
      this.#accepted = tip;
      await this.#retry().finally(() => {
        this.#accepted = undefined;
      });
    });
  }

  async #retry(): Promise<void> {
    await this.#memory.set({ refused: undefined });
    await this.#poll();
  }

  async #resume(): Promise<void> {
    await this.#memory.set({ pausedUntil: undefined });
    this.#report();
  }

  /** Ends the present wait. */
  #wake(): void {
    this.#awake.abort();
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#inTurn(() => this.#tend()).catch((thrown) => {
        this.#options.kit.log.error("A poll failed", { reason: errorMessage(thrown) });
      });
      if (!this.#over.signal.aborted) await this.#wait();
    }
  }

  /** What every interval does. */
  async #tend(): Promise<void> {
    const { pausedUntil } = this.#memory;
    if (pausedUntil !== undefined) {
      if (this.#options.kit.clock.now() < pausedUntil) return;
      await this.#resume();
    }
    await this.#applied.restore();
    await this.#poll();
  }

  /** Never rejects for the repository's reasons: they are reported. */
  async #poll(): Promise<void> {
    const { mirror, kit } = this.#options;
    try {
      const tip = await mirror.remoteTip();
      this.#answered();
      if (tip === this.#applied.commit) {
        if (this.#memory.refused) await this.#memory.set({ refused: undefined });
      } else if (tip !== this.#memory.refused?.commit) {
        await this.#applied.apply(await this.#fetched(), this.#accepted);
      }
      this.#metrics.polls.add(1, { result: "answered" });
    } catch (thrown) {
      if (this.#over.signal.aborted) return;
      if (!(thrown instanceof SourceRefusal)) throw thrown;
      const reason = kit.mask.text(thrown.message);
      this.#failure = { code: thrown.code, reason, polls: (this.#failure?.polls ?? 0) + 1 };
      this.#metrics.polls.add(1, { result: thrown.code });
      const known = this.#failure.polls > 1;
      kit.log[known ? "debug" : "warn"]("The repository does not answer", { reason });
    } finally {
      this.#report();
    }
  }

  async #fetched(): Promise<string> {
    const tip = await this.#options.mirror.fetch();
    this.#answered();
    return tip;
  }

  #answered(): void {
    this.#failure = undefined;
    this.#contactAt = this.#options.kit.clock.now();
    this.#metrics.contact.set(this.#contactAt / 1000);
  }

  /** Nothing runs yet. */
  get #isWaiting(): boolean {
    return this.#applied.commit === undefined;
  }

  #report(): void {
    const found = sourceFindings(this.status(), this.#isWaiting);
    this.#options.kit.conditions.report("source", found);
  }

  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** The configured interval, give or take a fifth, so that many daemons do not poll together; longer after failures. */
  async #wait(): Promise<void> {
    const { random = Math.random, settings, kit } = this.#options;
    const polls = this.#failure?.polls ?? 0;
    const pause = Math.min(LONGEST_WAIT, SHORTEST_WAIT * 2 ** Math.min(polls, 20));
    const usual = polls > 0 ? pause : Math.round(settings.poll * (0.8 + 0.4 * random()));
    const paused = Math.max(0, (this.#memory.pausedUntil ?? 0) - kit.clock.now());
    this.#awake = new AbortController();
    const signal = AbortSignal.any([this.#over.signal, this.#awake.signal]);
    await steady(kit.clock)
      .sleep(paused > 0 ? Math.min(paused, LONGEST_WAIT) : usual, signal)
      .catch(() => undefined);
  }
}
