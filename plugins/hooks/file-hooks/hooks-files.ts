/** All hooks files of the configuration, across its edits. */
import type { PrepareAttempt } from "reeve/plugin";
import type { HooksFileBlock } from "../blocks/blocks.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import type { HookTools } from "../runs/hook-tools.js";
import type { HookRuntimes } from "../runs/runtimes.js";
import type { HooksFile } from "./hooks-file.js";

/** Loads the YAML and XML readers with the first hooks file: most configurations have none. */
const hooksFile = () => import("./hooks-file.js");

export interface PreparedFiles {
  commit(): void;
  abort(): Promise<void>;
}

export class HooksFiles {
  readonly #tools: HookTools;
  readonly #runtimes: HookRuntimes;
  #files: ReadonlyMap<string, HooksFile> = new Map();

  constructor(tools: HookTools, runtimes: HookRuntimes) {
    this.#tools = tools;
    this.#runtimes = runtimes;
  }

  get hooks(): readonly HookRuntime[] {
    return [...this.#files.values()].flatMap((file) =>
      [...file.hooks.values()].map(({ runtime }) => runtime),
    );
  }

  /** Why a current file is not served. */
  get problem(): string | undefined {
    return [...this.#files.values()].find(({ problem }) => problem !== undefined)?.problem;
  }

  /** Whether the hook may return: its file is invalid at the moment. */
  mayHave(key: string): boolean {
    return [...this.#files].some(
      ([file, { problem }]) => problem !== undefined && key.startsWith(`${file}/`),
    );
  }

  of(blocks: readonly HooksFileBlock[]): readonly HooksFile[] {
    return blocks.flatMap(({ key }) => this.#files.get(key) ?? []);
  }

  /** An invalid new file fails the attempt; an invalid edit of a served file keeps its hooks. */
  async prepare(
    blocks: readonly HooksFileBlock[],
    report: PrepareAttempt["report"],
  ): Promise<PreparedFiles> {
    const next = new Map<string, HooksFile>();
    const opened: HooksFile[] = [];
    const abort = async (): Promise<void> => {
      await Promise.all(opened.map((file) => file.close()));
    };
    try {
      for (const block of blocks) {
        const present = this.#files.get(block.key);
        const keeps = present?.isFor(block) === true;
        const file = keeps
          ? present
          : new (await hooksFile()).HooksFile(block, this.#tools, this.#runtimes);
        next.set(block.key, file);
        if (!keeps) {
          opened.push(file);
          await file.open();
        }
        // A file that is served keeps its hooks; `validate` warns of it.
        if (keeps || file.problem === undefined) continue;
        report(block.rangeOf("path"), file.problem, {
          code: "bad_hooks_file",
          help: "correct the file; the line and column say where",
        });
      }
    } catch (thrown) {
      await abort();
      throw thrown;
    }
    return { commit: () => this.#commit(next, blocks), abort };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.close()));
  }

  #commit(next: ReadonlyMap<string, HooksFile>, blocks: readonly HooksFileBlock[]): void {
    const kept = new Set(next.values());
    const gone = [...this.#files.values()].filter((file) => !kept.has(file));
    this.#files = next;
    // First: a new file may have the same hooks.
    for (const file of gone) void file.close();
    for (const block of blocks) next.get(block.key)?.serve(block);
  }
}
