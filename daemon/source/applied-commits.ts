/** The commit that runs and the one before it: how the newest commit is applied, taken back and kept as it is. */
import { basename, join } from "node:path";
import type { ReloadOutcome } from "../reload/contract.js";
import type { DaemonServices } from "../services/contract.js";
import type { CommitDirectories, WrittenCommit } from "./commits.js";
import { type SourceCode, SourceRefusal } from "./contract.js";
import type { SourceMemory } from "./memory.js";
import type { Mirror } from "./mirror.js";
import type { SourceMetrics } from "./telemetry.js";

export interface AppliedCommitsOptions {
  readonly mirror: Mirror;
  readonly commits: CommitDirectories;
  readonly kit: Pick<DaemonServices, "clock" | "log" | "events" | "mask">;
  /** The first error of the configuration with this root file, before anything is switched. */
  readonly check: (root: string) => Promise<string | undefined>;
  /** Applies what `current` names. */
  readonly reload: () => Promise<ReloadOutcome>;
}

export class AppliedCommits {
  readonly #options: AppliedCommitsOptions;
  readonly #memory: SourceMemory;
  readonly #metrics: SourceMetrics;
  #current: WrittenCommit | undefined;
  /** It comes back where its successor fails in its probation. */
  #previous: WrittenCommit | undefined;
  /** Whether the daemon runs, so that a reload applies a commit. */
  isRunning = false;

  constructor(options: AppliedCommitsOptions, memory: SourceMemory, metrics: SourceMetrics) {
    this.#options = options;
    this.#memory = memory;
    this.#metrics = metrics;
  }

  get commit(): string | undefined {
    return this.#current?.commit;
  }

  /** What an earlier life of the daemon left. */
  async open(): Promise<void> {
    const { commits, kit } = this.#options;
    await commits.open();
    const { applied, previous, refused } = this.#memory;
    this.#current = await commits.current();
    if (previous !== undefined) this.#previous = await commits.find(previous);
    const wasTakenBack = refused?.commit === (this.commit ?? "");
    if (this.#previous && wasTakenBack) await this.#return(this.#previous);
    if (!this.#current) return;
    await this.restore();
    this.#metrics.runs(this.#current.commit, applied?.at ?? kit.clock.now());
  }

  /**
   * Applies a fetched commit, or refuses it. `accepted`: a commit that may follow any other.
   * @throws SourceRefusal `unreachable` only
   */
  async apply(tip: string, accepted: string | undefined): Promise<void> {
    try {
      await this.#apply(tip, accepted);
    } catch (thrown) {
      if (!(thrown instanceof SourceRefusal) || thrown.code === "unreachable") throw thrown;
      await this.#refuse(tip, thrown.code, thrown.message);
    }
  }

  async #apply(tip: string, accepted: string | undefined): Promise<void> {
    const { commits, mirror, check, reload, kit } = this.#options;
    const applied = this.commit ?? this.#memory.applied?.commit;
    await mirror.judge(tip, applied, kit.clock.now(), accepted);
    const next = await commits.write(tip, await mirror.files(tip));
    const before = this.#current;
    try {
      const fault = await check(join(next.directory, "main.reeve"));
      if (fault !== undefined) throw new SourceRefusal("invalid", fault);
      await commits.switchTo(next);
      if (this.isRunning) refuseRejected(await reload());
    } catch (thrown) {
      if (before && this.isRunning) {
        await commits.switchTo(before);
        await reload();
      }
      await commits.remove(next);
      throw thrown;
    }
    this.#previous = before;
    this.#current = next;
    const at = kit.clock.now();
    const previous = before && basename(before.directory);
    await this.#memory.set({ applied: { commit: tip, at }, previous, refused: undefined });
    this.#metrics.runs(tip, at);
    this.#metrics.applies.add();
    kit.events.emit("source.applied", { commit: tip });
    await commits.prune(next, ...(before ? [before] : []));
  }

  async #refuse(commit: string, code: SourceCode, message: string): Promise<void> {
    const { kit } = this.#options;
    const reason = kit.mask.text(message);
    await this.#memory.set({ refused: { commit, code, reason, at: kit.clock.now() } });
    this.#metrics.refused.add(1, { code });
    kit.events.emit("source.refused", { commit, code, reason });
    kit.log.warn("A commit is refused", { commit, code, reason });
  }

  /** What runs has proved itself. */
  async confirmed(): Promise<void> {
    this.#previous = undefined;
    await this.#memory.set({ previous: undefined });
  }

  /** A generation was taken back in its probation: so is its commit. Refused first, so that a crash here does not try it again. */
  async rolledBack(reason: string): Promise<void> {
    const failed = this.#current;
    const before = this.#previous;
    if (!failed || !before) return;
    await this.#refuse(failed.commit, "rolled_back", reason.replace(/\.$/, ""));
    await this.#return(before);
    await this.#options.reload();
  }

  /** Makes the previous commit the current one again. */
  async #return(before: WrittenCommit): Promise<void> {
    const { commits, kit } = this.#options;
    await commits.switchTo(before);
    this.#previous = undefined;
    this.#current = before;
    const applied = { commit: before.commit, at: kit.clock.now() };
    await this.#memory.set({ applied, previous: undefined });
  }

  /** Puts back what was changed by hand. */
  async restore(): Promise<void> {
    const current = this.#current;
    if (!current) return;
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
}

function refuseRejected({ generation }: ReloadOutcome): void {
  if (generation.state !== "rejected") return;
  throw new SourceRefusal("rejected", generation.reason ?? "a plugin refused it");
}
