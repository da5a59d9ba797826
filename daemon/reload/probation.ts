/** Whether the plugins that a generation touched do their job, for as long as there is a way back. */
import type { Plan, Program } from "../config/program.js";
import type { PluginHost, PluginState } from "../host/contract.js";
import type { Clock } from "../plugin-api/context.js";
import { steady } from "../services/clock.js";
export interface ProbationOptions {
  readonly host: PluginHost;
  readonly clock: Clock;
  /** Ids of plugins. */
  readonly watched: ReadonlySet<string>;
  /** Milliseconds. */
  readonly duration: number;
  readonly signal: AbortSignal;
}

/** Plugins with a changed block that still have some: those whose health says something about the change. */
export function touchedBy(plan: Plan, next: Program): ReadonlySet<string> {
  const configured = new Set([...next.blocks.values()].map(({ plugin }) => plugin));
  return new Set(
    plan.changes
      .filter(({ action, plugin }) => action !== "unchanged" && configured.has(plugin))
      .map(({ plugin }) => plugin),
  );
}

/** The plugins that do not do their job now, each with a reason. */
export async function failing(host: PluginHost): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  for (const [id, { state, reason }] of await host.health()) {
    if (state === "failed") failures.set(id, reason ?? "it says it has failed");
  }
  for (const { id, state, failure } of host.status()) {
    if (down.has(state)) failures.set(id, failure?.reason ?? "it does not run");
  }
  return failures;
}

const down: ReadonlySet<PluginState> = new Set(["backoff", "quarantined"]);

/** Milliseconds. */
const often = { least: 20, most: 1_000 } as const;

/** Resolves to what is wrong, in one sentence, or to nothing when the time is over. Rejects when `signal` fires. */
export async function probation(options: ProbationOptions): Promise<string | undefined> {
  const { duration, signal } = options;
  const clock = steady(options.clock);
  const end = clock.now() + duration;
  const interval = Math.min(Math.max(duration / 20, often.least), often.most);
  let suspects: ReadonlyMap<string, string> = new Map();
  for (let left: number = duration; left > 0; left = end - clock.now()) {
    await clock.sleep(Math.min(interval, left), signal);
    const failures = await sick(options);
    signal.throwIfAborted();
    // One bad answer may be a hiccup, two in a row are not.
    for (const [id, reason] of failures) {
      if (suspects.has(id)) return `the plugin ${id} is not healthy: ${reason}`;
    }
    suspects = failures;
  }
  return undefined;
}

async function sick({ host, watched }: ProbationOptions): Promise<ReadonlyMap<string, string>> {
  const failures = await failing(host);
  return new Map([...failures].filter(([id]) => watched.has(id)));
}
