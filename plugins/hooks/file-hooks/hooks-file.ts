/** A hooks file that is served: watched, read anew when it changes, kept as it was when it is broken. */
import { resolve } from "node:path";
import type { FileSet, PluginContext, Watch } from "reeve/plugin";
import type { HookBlock, HooksFileBlock } from "../blocks/blocks.js";
import { complaintLine, readHooks } from "../compat/file/read.js";
import type { FileHook } from "../compat/hook.js";
import { expandTemplate } from "../compat/template/template.js";
import { hostWorld } from "../compat/template/world.js";
import { HookRuntime, type HookTools } from "../runs/hook-runtime.js";
import type { FileHookTarget } from "../server/hook-server.js";
import { respondToFileHook, type ServedHook } from "./respond.js";

export class HooksFile {
  /** By id. Replaced in one step, so that nobody ever sees half a file. */
  hooks: ReadonlyMap<string, ServedHook & FileHookTarget> = new Map();
  /** Why the file as it is now is not the one that is served. */
  problem: string | undefined;
  readonly #tools: HookTools;
  readonly #leave: (hook: HookRuntime) => void;
  #block: HooksFileBlock;
  #watch: Watch | undefined;

  /** `leave` takes hooks that are no longer in the file. */
  constructor(block: HooksFileBlock, tools: HookTools, leave: (hook: HookRuntime) => void) {
    this.#block = block;
    this.#tools = tools;
    this.#leave = leave;
  }

  /** Reads the file and goes on watching it; `trouble` says whether it could be used. */
  async open(): Promise<void> {
    this.#watch = await this.#context.files.watch([this.#block.values.path], {}, (set) =>
      this.#read(set),
    );
  }

  async close(): Promise<void> {
    await this.#watch?.close();
    for (const { runtime } of this.hooks.values()) this.#leave(runtime);
    this.hooks = new Map();
  }

  /** Whether an edit of its block leaves the file to be read as it is. */
  isFor({ values }: HooksFileBlock): boolean {
    const { path, strict, template } = this.#block.values;
    return path === values.path && strict === values.strict && template === values.template;
  }

  /** New limits hold from now on. */
  reconfigure(block: HooksFileBlock): void {
    this.#block = block;
    for (const { hook, runtime } of this.hooks.values()) runtime.reconfigure(this.#blockOf(hook));
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
    const reading = this.#hooksIn(Buffer.from(file.content).toString("utf8"));
    if (typeof reading === "string") this.#refuse(reading);
    else this.#serve(reading);
  }

  #hooksIn(written: string): readonly FileHook[] | string {
    const { path, strict, template } = this.#block.values;
    let text = written;
    if (template) {
      const expanded = expandTemplate(written, hostWorld);
      if (!expanded.ok) return complaintLine(path, expanded);
      text = expanded.text;
    }
    const reading = readHooks(text, { strict });
    return reading.ok ? reading.hooks : complaintLine(path, reading.complaints[0]);
  }

  #refuse(problem: string): void {
    this.problem = problem;
    const { label } = this.#block;
    this.#context.log.error("a hooks file cannot be used; the hooks it had are kept", {
      block: label,
      reason: problem,
    });
    this.#context.events.emit("hooks_file.rejected", { file: label, reason: problem });
  }

  #serve(read: readonly FileHook[]): void {
    this.problem = undefined;
    const before: ReadonlyMap<string, ServedHook> = this.hooks;
    const { strict } = this.#block.values;
    // Of twins the first counts.
    this.hooks = new Map(
      read.toReversed().map((hook) => {
        const block = this.#blockOf(hook);
        const runtime = before.get(hook.id)?.runtime ?? new HookRuntime(block, this.#tools);
        runtime.reconfigure(block);
        const served: ServedHook = { hook, runtime, strict };
        const respond: FileHookTarget["respond"] = (request) => respondToFileHook(served, request);
        return [hook.id, { ...served, respond }];
      }),
    );
    for (const [id, { runtime }] of before) if (!this.hooks.has(id)) this.#leave(runtime);
    this.#context.log.info("the hooks of a file are served", {
      block: this.#block.label,
      hooks: this.hooks.size,
    });
    this.#context.events.emit("hooks_file.loaded", {
      file: this.#block.label,
      hooks: this.hooks.size,
    });
  }

  /** What runs a command asks of a block; the decision is the file's. */
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
          parse: "auto",
          methods: hook.methods,
        },
        cwd: hook.directory === "" ? undefined : resolve(configuration, hook.directory),
      } as unknown as HookBlock["values"],
    };
  }
}
