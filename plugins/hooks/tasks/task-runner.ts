/** The tasks of the configuration; a user starts them by hand. */
import type { PluginContext } from "reeve/plugin";
import type { TaskBlock } from "../blocks/blocks.js";
import type { TaskScope } from "../blocks/task.js";
import type { HookRuntimes } from "../runs/runtimes.js";
import { rfc3339 } from "../triggers/rfc3339.js";
import { type ManualStart, manualStart, start } from "../triggers/start.js";
import { TriggerBlocks } from "../triggers/trigger-blocks.js";
import { parameterValues } from "./parameters.js";
import type { TaskChain, TaskState } from "./task-chain.js";

export class TaskRunner {
  readonly #context: PluginContext;
  readonly #chain: TaskChain;
  readonly #entries: TriggerBlocks<TaskBlock, TaskState>;

  constructor(context: PluginContext, chain: TaskChain, runtimes: HookRuntimes) {
    this.#context = context;
    this.#chain = chain;
    this.#entries = new TriggerBlocks(runtimes, {
      stateOf: (block, runtime) => ({ block, runtime }),
    });
  }

  get tasks(): readonly TaskState[] {
    return this.#entries.all;
  }

  set(blocks: readonly TaskBlock[]): void {
    this.#entries.set(blocks);
    this.#chain.tasks = this.tasks;
  }

  /** Starts a task by hand. `given`: its parameters as texts. The result is the run's id, or why there is none. */
  async startNow(
    { key }: TaskBlock,
    given: Readonly<Record<string, string>>,
  ): Promise<ManualStart> {
    const task = this.#entries.get(key);
    if (task === undefined) return { refused: "The task has been removed." };
    const { block, runtime } = task;
    const param = parameterValues(block, given);
    if (typeof param === "string") return { refused: param };
    const isSecret = (name: string): boolean =>
      block.values.param.some(({ label, values }) => label === name && values.type === "secret");
    const names = Object.keys(param);
    const parameters = names.filter((name) => !isSecret(name)).map((name) => [name, param[name]]);
    const scope: TaskScope = { param, started_at: rfc3339(this.#context.clock.now()), attempt: 1 };
    return manualStart(
      await start(runtime, {
        trigger: "by hand",
        scope,
        detail: { parameters: Object.fromEntries(parameters) },
        fleeting: names.some(isSecret),
      }),
    );
  }
}
