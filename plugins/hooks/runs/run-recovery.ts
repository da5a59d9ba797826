/** Recovers from a previous daemon or instance: resumes its accepted runs and removes its files. */
import type { LeftRun, PluginContext } from "reeve/plugin";
import { resultOf } from "./end-run.js";
import { leaveFilesRoom, removeStaleFiles } from "./private-files.js";
import type { ResumeState } from "./resume-state.js";
import type { AnyRuntime } from "./runtimes.js";

/** Milliseconds between checks: a previous instance may still be stopping. */
const SOON = 1000;
const LATER = 30_000;
/** Checks until a previous instance must have stopped. */
const SOON_LOOKS = 120;

export class RunRecovery {
  readonly #context: PluginContext;
  readonly #ownerOf: (subject: string) => AnyRuntime | "gone" | undefined;
  readonly #ended = new AbortController();
  #found: readonly LeftRun[] = [];
  #isRunning = false;

  /** `ownerOf` finds the hook of a subject; `undefined` if it is not known yet. */
  constructor(
    context: PluginContext,
    ownerOf: (subject: string) => AnyRuntime | "gone" | undefined,
  ) {
    this.#context = context;
    this.#ownerOf = ownerOf;
  }

  /** Before anything is served, so that earlier runs come first. */
  async load(): Promise<void> {
    if (!this.#isRunning) this.#found = await this.#context.runs.left();
  }

  /** Called at the first commit. */
  begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#resume(this.#found);
    this.#found = [];
    void removeStaleFiles(this.#context.directories.state).catch((thrown: unknown) =>
      this.#context.log.warn("Cannot remove files of ended commands", {
        reason: String(thrown),
      }),
    );
    void this.#watch();
  }

  end(): void {
    this.#ended.abort();
    leaveFilesRoom(this.#context.directories.state);
  }

  async #watch(): Promise<void> {
    const { runs, log } = this.#context;
    for (let looks = 0; await this.#pause(looks); looks += 1) {
      try {
        const left = await runs.left();
        if (this.#ended.signal.aborted) return;
        this.#resume(left);
      } catch (thrown) {
        log.warn("Cannot list the runs of a previous daemon", { reason: String(thrown) });
      }
    }
  }

  /** Whether to check again. */
  #pause(looks: number): Promise<boolean> {
    const pause = looks < SOON_LOOKS ? SOON : LATER;
    return this.#context.clock.sleep(pause, this.#ended.signal).then(
      () => !this.#ended.signal.aborted,
      () => false,
    );
  }

  #resume(left: readonly LeftRun[]): void {
    for (const run of left) {
      const owner = this.#ownerOf(run.record.subject);
      if (owner === "gone") void this.#cancel(run);
      else owner?.resume(run);
    }
  }

  /** Its hook is gone: nothing follows it any more. */
  async #cancel({ record, resume }: LeftRun): Promise<void> {
    const reason = "Its hook was removed from the configuration.";
    const { end = { state: "cancelled", reason } } = resume as ResumeState;
    try {
      const run = await this.#context.runs.resume(record.id);
      await run?.finish(resultOf(end));
    } catch (thrown) {
      this.#context.log.warn("Cannot end a run of a removed hook", {
        run: record.id,
        reason: String(thrown),
      });
    }
  }
}
