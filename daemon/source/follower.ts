/**
 * Follows a branch: polls, judges the newest commit, writes it, and applies it as a generation. What runs is on disk, so a start
 * needs no network. One step at a time.
 */
import { join } from "node:path";
import { errorMessage } from "../errors.js";
import type { ReloadOutcome } from "../reload/contract.js";
import { steady } from "../services/clock.js";
import type { ConditionFinding, DaemonServices, Records } from "../services/contract.js";
import type { CommitDirectories, WrittenCommit } from "./commits.js";
import { type SourceCode, SourceRefusal, type SourceSettings } from "./contract.js";
import type { Mirror } from "./mirror.js";
import { createSourceMetrics, type SourceMetrics } from "./telemetry.js";

export interface SourceFollowerOptions {
  readonly settings: SourceSettings;
  readonly mirror: Mirror;
  readonly commits: CommitDirectories;
  readonly kit: Pick<
    DaemonServices,
    "clock" | "log" | "events" | "metrics" | "conditions" | "records" | "mask"
  >;
  /** The first error of the configuration with this root file, before anything is switched. */
  readonly check: (root: string) => Promise<string | undefined>;
  /** Applies what `current` names. */
  readonly reload: () => Promise<ReloadOutcome>;
  /** @default Math.random */
  readonly random?: () => number;
}

/** What outlives the process, in the daemon's records. */
interface Memory {
  readonly applied?: { readonly commit: string; readonly at: number };
  readonly refused?: {
    readonly commit: string;
    readonly code: SourceCode;
    readonly reason: string;
    readonly at: number;
  };
}

/** Milliseconds; the wait doubles up to it while the repository does not answer. */
const LONGEST_WAIT = 600_000;
const SHORTEST_WAIT = 2_000;
/** Failed polls before it is reported as a condition. */
const PATIENCE = 3;

export class SourceFollower {
  readonly #options: SourceFollowerOptions;
  readonly #records: Records;
  readonly #metrics: SourceMetrics;
  readonly #over = new AbortController();
  #memory: Memory = {};
  #current: WrittenCommit | undefined;
  /** It comes back where its successor fails in its probation. */
  #previous: WrittenCommit | undefined;
  #failure:
    | { readonly code: SourceCode; readonly reason: string; readonly polls: number }
    | undefined;
  #following = false;
  #turn: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();
  #unsubscribe = (): void => undefined;

  constructor(options: SourceFollowerOptions) {
    this.#options = options;
    this.#records = options.kit.records("source");
    this.#metrics = createSourceMetrics(options.kit.metrics.scoped("source"));
  }

  /** Resolves when a commit is on disk; without one it waits for the repository. */
  async prepare(): Promise<void> {
    const { commits, mirror } = this.#options;
    await commits.open();
    await mirror.open();
    // A restart tries a refused commit again: signers or the host may have changed.
    const { applied } = (await this.#records.get<Memory>("memory")) ?? {};
    this.#memory = applied ? { applied } : {};
    this.#current = await commits.current();
    if (this.#current) {
      await this.#restore(this.#current);
      this.#metrics.runs(this.#current.commit, applied?.at ?? this.#options.kit.clock.now());
    }
    while (!this.#current && !this.#over.signal.aborted) {
      await this.#inTurn(() => this.#poll());
      if (!this.#current) await this.#wait();
    }
    this.#report();
  }

  /** From now on commits are applied to the running daemon. */
  follow(): void {
    this.#following = true;
    this.#unsubscribe = this.#options.kit.events.subscribe(({ type, data }) => {
      if (type !== "config.rolled_back") return;
      this.#rolledBack(String(data.reason ?? "it was unhealthy")).catch((thrown) => {
        this.#options.kit.log.error("Cannot return to the previous commit", {
          reason: errorMessage(thrown),
        });
      });
    });
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#unsubscribe();
    await this.#loop;
    await this.#turn;
  }

  /** Polls now. */
  async poll(): Promise<void> {
    await this.#inTurn(() => this.#poll());
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#inTurn(async () => {
        if (this.#current) await this.#restore(this.#current);
        await this.#poll();
      }).catch((thrown) => {
        this.#options.kit.log.error("A poll failed", { reason: errorMessage(thrown) });
      });
      if (!this.#over.signal.aborted) await this.#wait();
    }
  }

  /** Never rejects for the repository's reasons: they are reported. */
  async #poll(): Promise<void> {
    const { mirror, kit } = this.#options;
    try {
      const tip = await mirror.remoteTip();
      this.#answered();
      if (tip === this.#current?.commit) {
        if (this.#memory.refused) await this.#remember({ ...this.#memory, refused: undefined });
      } else if (tip !== this.#memory.refused?.commit) {
        await this.#apply(await this.#fetched());
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
    this.#metrics.contact.set(this.#options.kit.clock.now() / 1000);
  }

  async #apply(tip: string): Promise<void> {
    try {
      await this.#applyCommit(tip);
    } catch (thrown) {
      if (!(thrown instanceof SourceRefusal) || thrown.code === "unreachable") throw thrown;
      await this.#refuse(tip, thrown.code, thrown.message);
    }
  }

  async #refuse(commit: string, code: SourceCode, message: string): Promise<void> {
    const { kit } = this.#options;
    const reason = kit.mask.text(message);
    await this.#remember({
      ...this.#memory,
      refused: { commit, code, reason, at: kit.clock.now() },
    });
    this.#metrics.refused.add(1, { code });
    kit.events.emit("source.refused", { commit, code, reason });
    kit.log.warn("A commit is refused", { commit, code, reason });
  }

  async #applyCommit(tip: string): Promise<void> {
    const { commits, mirror, check, reload, kit } = this.#options;
    const applied = this.#current?.commit ?? this.#memory.applied?.commit;
    await mirror.judge(tip, applied, kit.clock.now());
    const next = await commits.write(tip, await mirror.files(tip));
    const before = this.#current;
    try {
      const fault = await check(join(next.directory, "main.reeve"));
      if (fault !== undefined) throw new SourceRefusal("invalid", fault);
      await commits.switchTo(next);
      if (this.#following) refuseRejected(await reload());
    } catch (thrown) {
      if (before && this.#following) {
        await commits.switchTo(before);
        await reload();
      }
      await commits.remove(next);
      throw thrown;
    }
    this.#previous = before;
    this.#current = next;
    const at = kit.clock.now();
    await this.#remember({ applied: { commit: tip, at } });
    this.#metrics.runs(tip, at);
    this.#metrics.applies.add();
    kit.events.emit("source.applied", { commit: tip });
    await commits.prune(next);
  }

  /** A generation was taken back in its probation: so is its commit. */
  async #rolledBack(reason: string): Promise<void> {
    await this.#inTurn(async () => {
      const failed = this.#current;
      const before = this.#previous;
      if (!failed || !before) return;
      const { commits, reload, kit } = this.#options;
      this.#previous = undefined;
      this.#current = before;
      await commits.switchTo(before);
      await reload();
      await this.#refuse(failed.commit, "rolled_back", reason.replace(/\.$/, ""));
      const at = kit.clock.now();
      await this.#remember({ ...this.#memory, applied: { commit: before.commit, at } });
      this.#report();
    });
  }

  /** Puts back what was changed by hand. */
  async #restore(current: WrittenCommit): Promise<void> {
    const { commits, mirror, kit } = this.#options;
    const changed = await commits.difference(current);
    if (changed === undefined) return;
    try {
      const restored = await commits.write(current.commit, await mirror.files(current.commit));
      await commits.switchTo(restored);
      this.#current = restored;
      kit.events.emit("source.restored", { commit: current.commit, path: changed });
      kit.log.warn("A file of the configuration was changed by hand and is put back", {
        path: changed,
      });
      await commits.remove(current);
    } catch (thrown) {
      if (!(thrown instanceof SourceRefusal)) throw thrown;
      kit.log.error("Cannot put back a changed file", { path: changed, reason: thrown.message });
    }
  }

  async #remember(memory: { [Key in keyof Memory]: Memory[Key] | undefined }): Promise<void> {
    this.#memory = JSON.parse(JSON.stringify(memory)) as Memory;
    await this.#records.set("memory", this.#memory);
  }

  #report(): void {
    const { kit } = this.#options;
    const found: ConditionFinding[] = [];
    const { refused } = this.#memory;
    const failure = this.#failure;
    const isWaiting = this.#current === undefined;
    if (failure && (isWaiting || failure.polls >= PATIENCE)) {
      const reason = `The configuration's repository cannot be read: ${failure.reason}.`;
      found.push({ code: `source_${failure.code}`, reason, isUnready: isWaiting });
    }
    if (refused) {
      const { commit, reason, code, at } = refused;
      const what = `The newest commit ${shortened(commit)} is refused: ${reason}.`;
      found.push({ code: `source_${code}`, reason: what, isUnready: isWaiting, since: at });
    }
    kit.conditions.report("source", found);
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
    const interval = polls > 0 ? pause : Math.round(settings.poll * (0.8 + 0.4 * random()));
    await steady(kit.clock)
      .sleep(interval, this.#over.signal)
      .catch(() => undefined);
  }
}

function refuseRejected({ generation }: ReloadOutcome): void {
  if (generation.state !== "rejected") return;
  throw new SourceRefusal("rejected", generation.reason ?? "a plugin refused it");
}

const shortened = (commit: string): string => commit.slice(0, 12);
