/** Starts the runs of watches: after files have changed and are quiet. */
import { homedir } from "node:os";
import { join, matchesGlob, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FileSet, PluginContext, Watch } from "reeve/plugin";
import type { WatchBlock } from "../blocks/blocks.js";
import type { FileChange, WatchScope } from "../blocks/watch.js";
import { detailText, type Refusal } from "../decide/refusal.js";
import { errorMessage } from "../runs/execute-run.js";
import type { HookTools } from "../runs/hook-tools.js";
import type { HookRuntimes } from "../runs/runtimes.js";
import type { SubmittedRun } from "../runs/submit-run.js";
import { rfc3339 } from "../triggers/rfc3339.js";
import { type ManualStart, manualStart, recordUnstarted, start } from "../triggers/start.js";
import { TriggerBlocks, type TriggerState } from "../triggers/trigger-blocks.js";
import { changesBetween, joined, type KnownFiles, knownOf, shownChanges } from "./changes.js";
import { LoopGuard } from "./loop-guard.js";

/** Bytes of a file that are read to tell whether it has changed; a larger one is compared by its size and times. */
const MOST_READ = 1024 * 1024;
/** Milliseconds. */
const RECORD_AGAIN = 1000;

interface Entry extends TriggerState<WatchBlock> {
  readonly guard: LoopGuard;
  /** Rises with each opening: what an earlier watch reports does not count. */
  opening: number;
  watch: Watch | undefined;
  /** Unknown until the files have been read for the first time. */
  known: KnownFiles | undefined;
  /** Changes that no run has had. */
  pending: ReadonlyMap<string, FileChange>;
  /** When the first of them was seen, in milliseconds since the epoch. */
  pendingSince: number;
  /** Whether something waits to start the next run. */
  isWaiting: boolean;
  /** Why the files cannot be watched. */
  problem: string | undefined;
}

export type WatchState = Readonly<Entry>;

export class WatchRunner {
  readonly #tools: Pick<HookTools, "context" | "chain">;
  readonly #entries: TriggerBlocks<WatchBlock, Entry>;
  readonly #ended = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(tools: Pick<HookTools, "context" | "chain">, runtimes: HookRuntimes) {
    this.#tools = tools;
    this.#entries = new TriggerBlocks(runtimes, {
      stateOf: (block, runtime) => ({
        block,
        runtime,
        guard: new LoopGuard(),
        opening: 0,
        watch: undefined,
        known: undefined,
        pending: new Map(),
        pendingSince: 0,
        isWaiting: false,
        problem: undefined,
      }),
    });
  }

  get watches(): readonly WatchState[] {
    return this.#entries.all;
  }

  /** What keeps a watch from its work, in one sentence. */
  get problem(): string | undefined {
    for (const { block, problem, guard } of this.#entries.all) {
      if (problem !== undefined) return `The watch "${block.label}" does not work: ${problem}`;
      if (guard.isLoop) {
        return `The command of the watch "${block.label}" changes the files that it watches: it runs once a minute.`;
      }
    }
    return undefined;
  }

  /** The watches of a new generation. One with the same files continues; what its command does may be new. */
  set(blocks: readonly WatchBlock[]): void {
    const { added, edited, removed } = this.#entries.set(blocks);
    for (const entry of added) this.#track(this.#openWatch(entry));
    for (const [entry, before] of edited) {
      if (!hasSameFiles(before, entry.block)) this.#track(this.#openWatch(entry));
    }
    for (const entry of removed) this.#close(entry);
  }

  /** Starts a run now, by hand, without changes. The result is the run's id, or why there is none. */
  async startNow({ key }: WatchBlock): Promise<ManualStart> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return { refused: "The watch has been removed." };
    return manualStart(await this.#trigger(entry, new Map(), "by hand"));
  }

  /** Starts nothing any more. */
  async end(): Promise<void> {
    this.#ended.abort();
    for (const entry of this.#entries.all) this.#close(entry);
    await Promise.all(this.#open);
  }

  #close(entry: Entry): void {
    entry.opening += 1;
    this.#track(entry.watch?.close() ?? Promise.resolve());
  }

  get #context(): PluginContext {
    return this.#tools.context;
  }

  #track(work: Promise<unknown>): void {
    const ended = work.catch(() => undefined);
    this.#open.add(ended);
    void ended.finally(() => this.#open.delete(ended));
  }

  async #openWatch(entry: Entry): Promise<void> {
    entry.opening += 1;
    const { opening, block } = entry;
    const { paths, ignore, debounce, max_wait } = block.values;
    const ignored = ignore.map((pattern) => this.#absolute(pattern));
    const counts = (path: string) => !ignored.some((pattern) => matchesGlob(path, pattern));
    await entry.watch?.close();
    Object.assign(entry, { watch: undefined, known: undefined, pending: new Map() });
    try {
      const watch = await this.#context.files.watch(
        paths.map((path) => this.#absolute(path)),
        { applyFiles: debounce, maxWait: max_wait, maxBytes: MOST_READ, contents: false },
        (files) => {
          if (entry.opening === opening) this.#changed(entry, files, counts);
        },
      );
      entry.problem = undefined;
      if (entry.opening === opening) entry.watch = watch;
      else await watch.close();
    } catch (thrown) {
      entry.problem = thrown instanceof Error ? thrown.message : String(thrown);
      const { label } = block;
      this.#context.log.error("Cannot watch files", { watch: label, reason: entry.problem });
    }
  }

  #absolute(path: string): string {
    return path.startsWith("~/")
      ? join(homedir(), path.slice(2))
      : resolve(this.#context.directories.configuration, path);
  }

  #changed(entry: Entry, files: FileSet, counts: (path: string) => boolean): void {
    const before = entry.known;
    entry.known = knownOf(files, counts);
    if (before === undefined) return;
    const changes = changesBetween(before, entry.known);
    if (changes.length === 0) return;
    const { block } = entry;
    if (block.values.busy === "ignore" && isBusy(entry)) {
      this.#context.log.debug("A watch ignores changes during its run", {
        ...{ watch: block.label, changes: changes.length },
      });
      return;
    }
    if (entry.pending.size === 0) entry.pendingSince = this.#context.clock.now();
    entry.pending = joined(entry.pending, changes);
    this.#track(this.#next(entry));
  }

  /** Starts a run for what is pending, as soon as it may. */
  async #next(entry: Entry): Promise<void> {
    if (entry.isWaiting) return;
    entry.isWaiting = true;
    try {
      if (entry.block.values.busy === "restart") {
        entry.runtime.runs.cancelAll("The files have changed again.");
      }
      if (!(await this.#turn(entry))) return;
      await this.#run(entry);
    } catch (thrown) {
      const { clock, log } = this.#context;
      const about = { watch: entry.block.label, reason: errorMessage(thrown) };
      log.warn("A watch waits until its run can be recorded", about);
      await clock.sleep(RECORD_AGAIN, this.#ended.signal).catch(() => undefined);
    } finally {
      entry.isWaiting = false;
      if (this.#isDue(entry)) this.#track(this.#next(entry));
    }
  }

  /** @throws if its run cannot be recorded, such as on a full disk: then the changes are pending as before */
  async #run(entry: Entry): Promise<void> {
    const { pending, pendingSince, guard, opening } = entry;
    const { clock, directories } = this.#context;
    const now = clock.now();
    const paths = [...pending.keys()];
    const first = relative(directories.configuration, paths[0] ?? "");
    const what = pending.size === 1 ? first : `${pending.size} changes, such as ${first}`;
    entry.pending = new Map();
    try {
      const started = await this.#trigger(entry, pending, what);
      if ("reason" in started) return await this.#recordRefusal(entry, what, started);
      guard.began(paths, pendingSince, now);
      void started.finished.then(() => guard.ended(clock.now()));
    } catch (thrown) {
      // After an edit of its paths, the earlier changes are of files that it may not watch any more.
      if (entry.opening !== opening) throw thrown;
      entry.pending = joined(pending, [...entry.pending.values()]);
      entry.pendingSince = pendingSince;
      throw thrown;
    }
  }

  /** Waits for the present run and, in a loop, for the next minute. False if there is nothing to do any more. */
  async #turn(entry: Entry): Promise<boolean> {
    const { clock } = this.#context;
    const { signal } = this.#ended;
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([entry.runtime.drained(), aborted]);
    const paths = [...entry.pending.keys()];
    const { pause, isNew } = entry.guard.judge(paths, entry.pendingSince, clock.now());
    if (isNew) {
      const what = { watch: entry.block.label ?? "", path: paths[0] ?? "" };
      this.#context.events.emit("watch.loop", what);
      this.#context.log.warn(
        "A command changes the files that start it: it runs once a minute",
        what,
      );
    }
    if (pause > 0) await clock.sleep(pause, signal).catch(() => undefined);
    return this.#isDue(entry);
  }

  /** Whether it is still configured and has changes that no run has had. */
  #isDue(entry: Entry): boolean {
    const isPresent = this.#entries.get(entry.block.key) === entry;
    return !this.#ended.signal.aborted && isPresent && entry.pending.size > 0;
  }

  async #trigger(
    { block, runtime }: Entry,
    changes: ReadonlyMap<string, FileChange>,
    trigger: string,
  ): Promise<SubmittedRun | Refusal> {
    const { changes: shown, more_changes } = shownChanges(changes);
    const scope: WatchScope = {
      changes: shown,
      more_changes,
      started_at: rfc3339(this.#context.clock.now()),
      attempt: 1,
    };
    const started = await start(runtime, { trigger, scope, detail: { changes: changes.size } });
    if (!("reason" in started)) {
      this.#context.log.debug("A watch started a run", { watch: block.label, run: started.id });
    }
    return started;
  }

  /** A run that could not start is a failed run: what follows the watch starts. @throws if it cannot be recorded */
  async #recordRefusal({ block }: Entry, trigger: string, refusal: Refusal): Promise<void> {
    const { context, chain } = this.#tools;
    if (refusal.reason === "not_recorded") throw new Error(detailText(refusal.detail));
    const end = { state: "failed", reason: detailText(refusal.detail) } as const;
    await recordUnstarted(context, chain, block, { trigger, detail: {}, end });
  }
}

const isBusy = ({ runtime: { admission } }: Entry): boolean =>
  admission.running + admission.waiting > 0;

const hasSameFiles = ({ values: one }: WatchBlock, { values: other }: WatchBlock): boolean =>
  (["paths", "ignore", "debounce", "max_wait"] as const).every((name) =>
    isDeepStrictEqual(one[name], other[name]),
  );
