/** Starts the tasks that follow runs. */
import type { NotAccepted, PluginContext } from "reeve/plugin";
import type { TaskBlock } from "../blocks/blocks.js";
import type { ParentScope, TaskScope } from "../blocks/task.js";
import { detailText } from "../decide/refusal.js";
import { type Chain, type EndedRun, OUTCOME } from "../runs/chain.js";
import { rfc3339 } from "../triggers/rfc3339.js";
import { recordUnstarted, start } from "../triggers/start.js";
import type { TriggerState } from "../triggers/trigger-blocks.js";
import { parameterValues } from "./parameters.js";

export type TaskState = TriggerState<TaskBlock>;

/** Records of a task that are searched for a parent, after a crash. */
const RECENT = 200;

/** Milliseconds. */
const RECORD_AGAIN = 1000;

export const notAccepted: NotAccepted = "Its request could not be written to the disk.";

/** In the `detail` of a run. `trace`: the first run of its chain. */
interface Link {
  readonly parent: { readonly run: string; readonly state: EndedRun["state"] };
  readonly trace: string;
}

/** Messages about runs. Never reject. */
interface ChainNotices {
  began(run: string, subject: string): Promise<void>;
  ended(run: EndedRun): Promise<void>;
}

export class TaskChain implements Chain {
  readonly #context: PluginContext;
  readonly #signal: AbortSignal;
  readonly #notices: ChainNotices;
  /** Tasks by the key of what they follow. */
  #followers: ReadonlyMap<string, readonly TaskState[]> = new Map();

  /** `notices` gets all runs. Waiting for the disk ends with `signal`. */
  constructor(context: PluginContext, signal: AbortSignal, notices: ChainNotices) {
    this.#context = context;
    this.#signal = signal;
    this.#notices = notices;
  }

  /** The tasks of a new generation. */
  set tasks(tasks: readonly TaskState[]) {
    const followers = new Map<string, TaskState[]>();
    for (const task of tasks) {
      for (const key of new Set(task.block.values.after.map((each) => each.key))) {
        followers.set(key, [...(followers.get(key) ?? []), task]);
      }
    }
    this.#followers = followers;
  }

  follows(subject: string): boolean {
    return this.#followers.has(subject);
  }

  began(run: string, subject: string): Promise<void> {
    return this.#notices.began(run, subject);
  }

  async ended(run: EndedRun): Promise<boolean> {
    await this.#notices.ended(run);
    const { state } = run;
    if (state === "missed") return true;
    for (const task of this.#followers.get(run.subject) ?? []) {
      const { on } = task.block.values;
      const follows = on.includes("always") || on.includes(OUTCOME[state]);
      if (follows && !(await this.#follow(task, run))) return false;
    }
    return true;
  }

  async recordedEnd(run: string, subject: string): Promise<EndedRun["state"] | undefined> {
    for (const task of this.#followers.get(subject) ?? []) {
      const link = await this.#linkTo(run, task);
      if (link?.parent) return link.parent.state;
    }
    return undefined;
  }

  /** Waits while its run cannot be recorded, such as on a full disk. Returns `false` if the daemon ends before. */
  async #follow(task: TaskState, run: EndedRun): Promise<boolean> {
    const { clock, log } = this.#context;
    for (let mayBeQueued = run.isResumed; ; mayBeQueued = true) {
      try {
        if (!mayBeQueued || !(await this.#linkTo(run.id, task))) await this.#queue(task, run);
        return true;
      } catch (thrown) {
        const fields = { task: task.block.label, run: run.id, reason: String(thrown) };
        if (this.#signal.aborted) {
          log.warn("The task that follows a run is left to the next daemon", fields);
          return false;
        }
        log.warn("The task that follows a run waits until it can be recorded", fields);
        await clock.sleep(RECORD_AGAIN, this.#signal).catch(() => undefined);
      }
    }
  }

  /** @throws if its run cannot be recorded */
  async #queue({ block, runtime }: TaskState, parent: EndedRun): Promise<void> {
    const { id, subject, state, detail } = parent;
    const { clock } = this.#context;
    const param = parameterValues(block, {});
    const trigger = `after ${subject} ${id}: ${OUTCOME[state]}`;
    const link: Link = {
      parent: { run: id, state },
      trace: typeof detail.trace === "string" ? detail.trace : id,
    };
    const scope: TaskScope = {
      param: typeof param === "string" ? {} : param,
      parent: parentScope(parent),
      started_at: rfc3339(clock.now()),
      attempt: 1,
    };
    const started = await start(runtime, { trigger, scope, detail: { ...link } });
    if (!("reason" in started)) return;
    const reason = detailText(started.detail);
    if (started.reason === "not_recorded") throw new Error(reason);
    const end = { state: "failed", reason } as const;
    await recordUnstarted(this.#context, this, block, { trigger, detail: { ...link }, end });
  }

  /** The link of the task's run that follows a run; none of a run that the disk did not accept. */
  async #linkTo(run: string, { block }: TaskState): Promise<Partial<Link> | undefined> {
    const runs = await this.#context.runs.list({ subject: block.key, limit: RECENT });
    return runs
      .filter(({ reason }) => reason !== notAccepted)
      .map(({ detail }) => (detail ?? {}) as Partial<Link>)
      .find(({ parent }) => parent?.run === run);
  }
}

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
