/** Starts tasks: after the runs that they follow, or by hand. */
import type { PluginContext } from "reeve/plugin";
import type { CommandBlock, TaskBlock } from "../blocks/blocks.js";
import type { ParentScope, TaskScope } from "../blocks/task.js";
import { commandOf } from "../decide/command.js";
import { detailText } from "../decide/refusal.js";
import { type Chain, type EndedRun, OUTCOME } from "../runs/chain.js";
import { HookRuntime, type HookTools } from "../runs/hook-runtime.js";
import { parameterValues } from "./parameters.js";

/** Records of a task that are searched for a parent, after a crash. */
const RECENT = 200;

export interface TaskState {
  readonly block: TaskBlock;
  readonly runtime: HookRuntime<CommandBlock>;
}

/** In the `detail` of a run. `trace`: the first run of its chain. */
interface Link {
  readonly parent?: { readonly run: string; readonly state: EndedRun["state"] };
  readonly trace?: string;
}

type Ended = EndedRun["state"];

export class TaskRunner implements Chain {
  readonly #tools: HookTools;
  readonly #leave: (runtime: HookRuntime<CommandBlock>) => void;
  readonly #notices: Pick<Chain, "began" | "ended">;
  #tasks: ReadonlyMap<string, TaskState> = new Map();
  /** Tasks by the key of what they follow. */
  #followers: ReadonlyMap<string, readonly TaskState[]> = new Map();

  /** `leave` receives the runtimes of removed tasks; `notices` hears of all runs. */
  constructor(
    tools: Omit<HookTools, "chain">,
    leave: (runtime: HookRuntime<CommandBlock>) => void,
    notices: Pick<Chain, "began" | "ended">,
  ) {
    this.#tools = { ...tools, chain: this };
    this.#leave = leave;
    this.#notices = notices;
  }

  get tasks(): readonly TaskState[] {
    return [...this.#tasks.values()];
  }

  get runtimes(): ReadonlyArray<HookRuntime<CommandBlock>> {
    return this.tasks.map(({ runtime }) => runtime);
  }

  set(blocks: readonly TaskBlock[]): void {
    const before = this.#tasks;
    this.#tasks = new Map(
      blocks.map((block) => {
        const present = before.get(block.key);
        const command = commandBlockOf(block);
        if (present && present.block !== block) present.runtime.reconfigure(command);
        const runtime = present?.runtime ?? new HookRuntime(command, this.#tools);
        return [block.key, { block, runtime }];
      }),
    );
    const followers = new Map<string, TaskState[]>();
    for (const task of this.tasks) {
      for (const key of new Set(task.block.values.after.map((each) => each.key))) {
        followers.set(key, [...(followers.get(key) ?? []), task]);
      }
    }
    this.#followers = followers;
    for (const [key, { runtime }] of before) if (!this.#tasks.has(key)) this.#leave(runtime);
  }

  follows(subject: string): boolean {
    return this.#followers.has(subject);
  }

  began(run: string, subject: string): Promise<void> {
    return this.#notices.began(run, subject);
  }

  async ended(run: EndedRun): Promise<void> {
    await this.#notices.ended(run);
    const { state } = run;
    if (state === "missed") return;
    for (const task of this.#followers.get(run.subject) ?? []) {
      const { on } = task.block.values;
      if (!on.includes("always") && !on.includes(OUTCOME[state])) continue;
      try {
        if (run.isResumed && (await this.#linkTo(run.id, task))) continue;
        await this.#follow(task, run);
      } catch (thrown) {
        this.#context.log.error("Cannot queue the task that follows a run", {
          ...{ task: task.block.label, run: run.id, reason: String(thrown) },
        });
      }
    }
  }

  async recordedEnd(run: string, subject: string): Promise<Ended | undefined> {
    for (const task of this.#followers.get(subject) ?? []) {
      const link = await this.#linkTo(run, task);
      if (link?.parent) return link.parent.state;
    }
    return undefined;
  }

  /** Starts a task by hand. `given`: its parameters as texts. The result is the run's id, or why there is none. */
  async trigger(
    { block, runtime }: TaskState,
    given: Readonly<Record<string, string>>,
  ): Promise<{ readonly run: string } | { readonly refused: string }> {
    const param = parameterValues(block, given);
    if (typeof param === "string") return { refused: param };
    const isSecret = (name: string): boolean =>
      block.values.param.some(({ label, values }) => label === name && values.type === "secret");
    const names = Object.keys(param);
    const parameters = names.filter((name) => !isSecret(name)).map((name) => [name, param[name]]);
    const scope = { param, ...this.#now() };
    const command = commandOf(runtime.block, scope, new Uint8Array());
    if ("reason" in command) return { refused: detailText(command.detail) };
    const started = await runtime.trigger(
      runtime.block,
      {
        ...command,
        // Its secrets must not be stored.
        ...(names.some(isSecret) ? { fleeting: true } : { scope }),
        detail: { parameters: Object.fromEntries(parameters) },
      },
      "by hand",
    );
    if ("reason" in started) return { refused: detailText(started.detail) };
    return { run: started.id };
  }

  async #follow({ block, runtime }: TaskState, parent: EndedRun): Promise<void> {
    const { id, subject, state, detail } = parent;
    const param = parameterValues(block, {});
    const trace = typeof detail.trace === "string" ? detail.trace : id;
    const link: Link = { parent: { run: id, state }, trace };
    const scope: TaskScope = {
      param: typeof param === "string" ? {} : param,
      parent: parentScope(parent),
      ...this.#now(),
    };
    const command = commandOf(runtime.block, scope, new Uint8Array());
    const trigger = `after ${subject} ${id}: ${OUTCOME[state]}`;
    const started =
      "reason" in command
        ? command
        : await runtime.trigger(runtime.block, { ...command, scope, detail: { ...link } }, trigger);
    if (!("reason" in started)) return;
    const reason = detailText(started.detail);
    const { kind, key } = block;
    const { runs } = this.#context;
    const failed = { kind, subject: key, state: "queued", trigger, detail: link } as const;
    const run = await runs.start(failed);
    await this.ended({
      ...{ id: run.id, kind, name: block.label ?? "", subject: key, state: "failed", reason },
      ...{ output: new Uint8Array(), detail: { ...link } },
    });
    await run.finish({ state: "failed", reason });
  }

  /** The link of the task's run that follows a run. */
  async #linkTo(run: string, { block }: TaskState): Promise<Link | undefined> {
    const runs = await this.#context.runs.list({ subject: block.key, limit: RECENT });
    return runs
      .map(({ detail }) => (detail ?? {}) as Link)
      .find(({ parent }) => parent?.run === run);
  }

  #now(): Pick<TaskScope, "started_at" | "attempt"> {
    const now = new Date(this.#context.clock.now());
    return { started_at: now.toISOString().replace(/\.\d+Z$/, "Z"), attempt: 1 };
  }

  get #context(): PluginContext {
    return this.#tools.context;
  }
}

export const commandBlockOf = (block: TaskBlock): CommandBlock => ({
  ...{ kind: block.kind, label: block.label, labels: block.labels, key: block.key },
  ...{ doc: block.doc, range: block.range, rangeOf: block.rangeOf.bind(block) },
  values: { ...block.values, overflow: "refuse" },
});

function parentScope({ id, kind, name, state, exitCode, output }: EndedRun): ParentScope {
  const text = Buffer.from(output.buffer, output.byteOffset, output.byteLength).toString("utf8");
  const json = parsed(text);
  return {
    ...{ run: id, kind, name, state: OUTCOME[state], output: text },
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(json === undefined ? {} : { json }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
