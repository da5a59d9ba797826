/** A hooks file: watched, read again on change; an invalid edit keeps the previous hooks. */
import { resolve } from "node:path";
import type { FileSet, PluginContext, Watch } from "reeve/plugin";
import type { HookBlock, HooksFileBlock } from "../blocks/blocks.js";
import type { FileHook } from "../compat/hook.js";
import type { HookTools } from "../runs/hook-tools.js";
import type { HookRuntimes } from "../runs/runtimes.js";
import type { FileHookTarget } from "../server/hook-server.js";
import { readHooksFile } from "./read-hooks-file.js";
import { respondToFileHook, type ServedHook } from "./respond.js";

export class HooksFile {
  /** By id. Replaced in one step, so no request sees half a file. */
  hooks: ReadonlyMap<string, ServedHook & FileHookTarget> = new Map();
  /** Why the current file is not served. */
  problem: string | undefined;
  readonly #tools: HookTools;
  readonly #runtimes: HookRuntimes;
  #block: HooksFileBlock;
  /** Whether its block is configured. */
  #isServed = false;
  #watch: Watch | undefined;

  constructor(block: HooksFileBlock, tools: HookTools, runtimes: HookRuntimes) {
    this.#block = block;
    this.#tools = tools;
    this.#runtimes = runtimes;
  }

  /** Reads and watches the file; `problem` is set if it is invalid. */
  async open(): Promise<void> {
    this.#watch = await this.#context.files.watch([this.#block.values.path], {}, (set) =>
      this.#read(set),
    );
  }

  async close(): Promise<void> {
    const hooks = this.hooks;
    this.hooks = new Map();
    if (this.#isServed) for (const { runtime } of hooks.values()) this.#runtimes.remove(runtime);
    this.#isServed = false;
    await this.#watch?.close();
  }

  /** Whether an edit of the block needs no new read of the file. */
  isFor({ values }: HooksFileBlock): boolean {
    const { path, strict, template } = this.#block.values;
    return path === values.path && strict === values.strict && template === values.template;
  }

  /** The block is configured; its limits hold from now on. */
  serve(block: HooksFileBlock): void {
    this.#block = block;
    this.#isServed = true;
    for (const served of this.hooks.values()) this.#add(served);
  }

  #add({ hook, runtime }: ServedHook): void {
    runtime.reconfigure(this.#blockOf(hook));
    this.#runtimes.add(runtime);
  }

  get #context(): PluginContext {
    return this.#tools.context;
  }

  #read({ files }: FileSet): void {
    const [file] = files;
    const { path } = this.#block.values;
    if (!file || file.error !== undefined) {
      this.#refuse(`${path}: ${file?.error ?? "not found"}`);
      return;
    }
    const reading = readHooksFile(Buffer.from(file.content).toString("utf8"), this.#block.values);
    if (typeof reading === "string") this.#refuse(reading);
    else this.#replace(reading);
  }

  #refuse(problem: string): void {
    this.problem = problem;
    const { label } = this.#block;
    this.#context.log.error("Cannot use a hooks file; its previous hooks stay", {
      block: label,
      reason: problem,
    });
    this.#context.events.emit("hooks_file.rejected", { file: label, reason: problem });
  }

  #replace(read: readonly FileHook[]): void {
    this.problem = undefined;
    const before: ReadonlyMap<string, ServedHook> = this.hooks;
    const { strict } = this.#block.values;
    // The first hook of an id counts.
    this.hooks = new Map(
      read.toReversed().map((hook) => {
        const runtime = before.get(hook.id)?.runtime ?? this.#runtimes.of(this.#blockOf(hook));
        const served: ServedHook = { hook, runtime, strict };
        const respond: FileHookTarget["respond"] = (request) => respondToFileHook(served, request);
        return [hook.id, { ...served, respond }];
      }),
    );
    if (this.#isServed) {
      for (const served of this.hooks.values()) this.#add(served);
      for (const [id, { runtime }] of before)
        if (!this.hooks.has(id)) this.#runtimes.remove(runtime);
    }
    this.#context.log.info("Serving the hooks of a file", {
      block: this.#block.label,
      hooks: this.hooks.size,
    });
    this.#context.events.emit("hooks_file.loaded", {
      file: this.#block.label,
      hooks: this.hooks.size,
    });
  }

  /** The block that runs need; the file itself decides requests. */
  #blockOf(hook: FileHook): HookBlock {
    const { key, range, values } = this.#block;
    const { timeout, concurrency, queue, output_limit } = values;
    const { configuration } = this.#context.directories;
    const limits = { timeout, concurrency, queue, output_limit, overflow: "refuse" } as const;
    return {
      kind: "hook",
      label: hook.id,
      labels: [hook.id],
      key: `${key}/${hook.id}`,
      doc: undefined,
      range,
      rangeOf: () => range,
      values: {
        ...limits,
        ...{
          run: [],
          env: {},
          files: {},
          args: [],
          verify: [],
          inherit_env: true,
          // Files were written for a server that passes all of its environment.
          env_from: ["*"],
          parse: "auto",
          methods: hook.methods,
        },
        cwd: hook.directory === "" ? undefined : resolve(configuration, hook.directory),
      } as unknown as HookBlock["values"],
    };
  }
}
