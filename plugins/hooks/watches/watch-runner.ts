/** Starts the runs of watches: after files have changed and are quiet. */
import { homedir } from "node:os";
import { join, matchesGlob, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FileSet, PluginContext, Watch } from "reeve/plugin";
import type { CommandBlock, WatchBlock } from "../blocks/blocks.js";
import type { FileChange } from "../blocks/watch.js";
import { commandOf } from "../decide/command.js";
import { detailText } from "../decide/refusal.js";
import { HookRuntime, type HookTools } from "../runs/hook-runtime.js";
import { changesBetween, joined, type KnownFiles, knownOf, shownChanges } from "./changes.js";
import { LoopGuard } from "./loop-guard.js";

/** Bytes of a file that are read to tell whether it has changed; a larger one is compared by its size and times. */
const MOST_READ = 1024 * 1024;

interface Entry {
  block: WatchBlock;
  readonly runtime: HookRuntime<CommandBlock>;
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
  readonly #tools: HookTools;
  readonly #leave: (runtime: HookRuntime<CommandBlock>) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #ended = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  /** `leave` receives the runtimes of removed watches. */
  constructor(tools: HookTools, leave: (runtime: HookRuntime<CommandBlock>) => void) {
    this.#tools = tools;
    this.#leave = leave;
  }

  get watches(): readonly WatchState[] {
    return [...this.#entries.values()];
  }

  get runtimes(): ReadonlyArray<HookRuntime<CommandBlock>> {
    return [...this.#entries.values()].map(({ runtime }) => runtime);
  }

  /** What keeps a watch from its work, in one sentence. */
  get problem(): string | undefined {
    for (const { block, problem, guard } of this.#entries.values()) {
      if (problem !== undefined) return `The watch "${block.label}" does not work: ${problem}`;
      if (guard.isLoop) {
        return `The command of the watch "${block.label}" changes the files that it watches: it runs once a minute.`;
      }
    }
    return undefined;
  }

  /** The watches of a new generation. One with the same files continues; what its command does may be new. */
  set(blocks: readonly WatchBlock[]): void {
    const before = new Map(this.#entries);
    this.#entries.clear();
    for (const block of blocks) {
      const present = before.get(block.key);
      before.delete(block.key);
      const entry = present ?? this.#entryOf(block);
      this.#entries.set(block.key, entry);
      if (present?.block === block) continue;
      const isSame = present !== undefined && hasSameFiles(present.block, block);
      entry.block = block;
      entry.runtime.reconfigure(commandBlockOf(block));
      if (!isSame) this.#track(this.#openWatch(entry));
    }
    for (const entry of before.values()) {
      entry.opening += 1;
      this.#track(entry.watch?.close() ?? Promise.resolve());
      this.#leave(entry.runtime);
    }
  }

  /** Starts a run now, by hand, without changes. The result is the run's id, or why there is none. */
  async startNow(
    block: WatchBlock,
  ): Promise<{ readonly run: string } | { readonly refused: string }> {
    const entry = this.#entries.get(block.key);
    if (entry === undefined) return { refused: "The watch has been removed." };
    const started = await this.#trigger(entry, new Map(), "by hand");
    return "refused" in started ? started : { run: started.run };
  }

  /** Starts nothing any more. */
  async end(): Promise<void> {
    this.#ended.abort();
    for (const entry of this.#entries.values()) {
      entry.opening += 1;
      this.#track(entry.watch?.close() ?? Promise.resolve());
    }
    await Promise.all(this.#open);
  }

  #entryOf(block: WatchBlock): Entry {
    const runtime = new HookRuntime(commandBlockOf(block), this.#tools);
    return {
      ...{ block, runtime, guard: new LoopGuard(), opening: 0, watch: undefined, known: undefined },
      ...{ pending: new Map(), pendingSince: 0, isWaiting: false, problem: undefined },
    };
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
    const { block, runtime } = entry;
    if (block.values.busy === "ignore" && isBusy(runtime)) {
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
        entry.runtime.cancelAll("The files have changed again.");
      }
      if (!(await this.#turn(entry))) return;
      const { pending, pendingSince, guard } = entry;
      entry.pending = new Map();
      const paths = [...pending.keys()];
      guard.began(paths, pendingSince, this.#context.clock.now());
      const first = relative(this.#context.directories.configuration, paths[0] ?? "");
      const what = pending.size === 1 ? first : `${pending.size} changes, such as ${first}`;
      const started = await this.#trigger(entry, pending, what);
      if ("refused" in started) await this.#recordRefusal(entry, what, started.refused);
      else void started.finished.then(() => guard.ended(this.#context.clock.now()));
    } catch (thrown) {
      const reason = String(thrown);
      this.#context.log.error("Cannot start a watch's run", { watch: entry.block.label, reason });
    } finally {
      entry.isWaiting = false;
      if (entry.pending.size > 0 && !this.#ended.signal.aborted) this.#track(this.#next(entry));
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
    const isPresent = this.#entries.get(entry.block.key) === entry;
    return !signal.aborted && isPresent && entry.pending.size > 0;
  }

  async #trigger(
    { block, runtime }: Entry,
    changes: ReadonlyMap<string, FileChange>,
    trigger: string,
  ): Promise<
    { readonly run: string; readonly finished: Promise<unknown> } | { readonly refused: string }
  > {
    const now = new Date(this.#context.clock.now());
    const started_at = now.toISOString().replace(/\.\d+Z$/, "Z");
    const scope = { ...shownChanges(changes), started_at, attempt: 1 };
    const command = commandOf(runtime.block, scope, new Uint8Array());
    if ("reason" in command) return { refused: detailText(command.detail) };
    const detail = { changes: changes.size };
    const started = await runtime.trigger(runtime.block, { ...command, scope, detail }, trigger);
    if ("reason" in started) return { refused: detailText(started.detail) };
    const { id, finished } = started;
    this.#context.log.debug("A watch started a run", { watch: block.label, run: id });
    return { run: id, finished };
  }

  /** A run that could not start is a failed run: what follows the watch learns of it. */
  async #recordRefusal({ block }: Entry, trigger: string, reason: string): Promise<void> {
    const { kind, key: subject, label: name = "" } = block;
    const run = await this.#context.runs.start({ kind, subject, state: "queued", trigger });
    await this.#tools.chain?.ended({
      ...{ id: run.id, kind, name, subject, state: "failed", reason },
      ...{ output: new Uint8Array(), detail: {} },
    });
    await run.finish({ state: "failed", reason });
  }
}

const isBusy = ({ queue }: HookRuntime<CommandBlock>): boolean => queue.running + queue.waiting > 0;

const hasSameFiles = ({ values: one }: WatchBlock, { values: other }: WatchBlock): boolean =>
  (["paths", "ignore", "debounce", "max_wait"] as const).every((name) =>
    isDeepStrictEqual(one[name], other[name]),
  );

/** One run at a time; one more by hand may wait. */
export const commandBlockOf = (block: WatchBlock): CommandBlock => ({
  ...{ kind: block.kind, label: block.label, labels: block.labels, key: block.key },
  ...{ doc: block.doc, range: block.range, rangeOf: block.rangeOf.bind(block) },
  values: { ...block.values, concurrency: 1, queue: 1, overflow: "refuse" },
});
