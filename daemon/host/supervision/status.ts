/** What is known about one plugin at this moment, for people. */
import type { PluginSource } from "../../catalog/source.js";
import type { Clock } from "../../plugin-api/context.js";
import type { Health } from "../../plugin-api/plugin.js";
import type { PluginState, PluginStatus } from "../contract.js";
import type { Instance } from "../instance/instance.js";

export class Condition {
  state: PluginState = "discovered";
  since: number;
  health: Health = { state: "healthy" };
  blocks = 0;
  restarts = 0;
  failure: { readonly reason: string; readonly at: number } | undefined;
  retryAt: number | undefined;

  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.since = clock.now();
  }

  move(state: PluginState): void {
    if (this.state === state) return;
    this.state = state;
    this.since = this.#clock.now();
    if (state !== "backoff") this.retryAt = undefined;
  }

  /** How it is while no instance is there to ask. */
  absent(): Health {
    if (this.state === "stopped") return { state: "healthy" };
    return { state: "failed", reason: this.failure?.reason ?? "It is not running." };
  }

  /** A running plugin that says it works only in part is shown as such. */
  note(health: Health): void {
    this.health = health;
    if (this.state === "running" && health.state !== "healthy") this.move("degraded");
    else if (this.state === "degraded" && health.state === "healthy") this.move("running");
  }
}

export function statusOf(
  { description, namespace, version, isolation }: PluginSource,
  condition: Condition,
  instance: Instance | undefined,
): PluginStatus {
  const { state, since, health, blocks, restarts, failure, retryAt } = condition;
  const usage = instance?.usage();
  return {
    id: description.id,
    title: description.title,
    version,
    namespace,
    state,
    since,
    isolation,
    permissions: description.permissions,
    health,
    blocks,
    restarts,
    ...(failure === undefined ? {} : { failure }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(instance?.pid === undefined ? {} : { pid: instance.pid }),
    ...(usage === undefined ? {} : usage),
  };
}
