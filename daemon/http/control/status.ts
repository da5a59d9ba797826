/** The daemon's state in one answer. */
import type { PluginHost, PluginStatus } from "../../host/contract.js";
import type { Reloader } from "../../reload/contract.js";
import type { DaemonServices } from "../../services/contract.js";
import type { SourceActions } from "../../source/contract.js";
import type { Listeners } from "../contract.js";
import type { DaemonState, Readiness, Status } from "./api.js";
import { LoopLag } from "./loop-lag.js";
import { sourcesFor } from "./sources-for.js";
import { generationSummary } from "./views.js";

/** What the control API shows and moves. */
export interface ControlDependencies {
  readonly kit: DaemonServices;
  readonly host: PluginHost;
  readonly reloader: Reloader;
  readonly listeners: Listeners;
  readonly identity: Identity;
  /** Absent where no git repository is followed. */
  readonly source?: SourceActions | undefined;
  /** Whether the daemon has been asked to end. */
  readonly draining: () => boolean;
}

/** What never changes while the daemon lives. */
export interface Identity {
  /** Of Reeve. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Absolute paths: the root file, the control socket, the state directory. */
  readonly root: string;
  readonly control: string;
  readonly stateDirectory: string;
}

export class StatusReader {
  readonly #subjects: ControlDependencies;
  readonly #lag = new LoopLag();

  constructor(subjects: ControlDependencies) {
    this.#subjects = subjects;
  }

  async status(): Promise<Status> {
    const { kit, host, reloader, listeners, identity } = this.#subjects;
    const runs = await kit.runs.counts();
    const plugins = host.status();
    const { current, degraded } = reloader;
    const now = kit.clock.now();
    const database = kit.database();
    const conditions = kit.conditions.list();
    const reason =
      conditions.find(({ isUnready }) => isUnready)?.reason ??
      degraded?.reason ??
      sickness(plugins) ??
      database?.away?.reason ??
      damageReason(kit);
    const sources = current && (await sourcesFor(reloader, current));
    const memory = process.memoryUsage();
    return {
      ...identity,
      pid: process.pid,
      now,
      state: this.#state(reason),
      ...(current && sources && { generation: generationSummary(current, sources) }),
      ...(reason !== undefined && { degraded: { reason } }),
      conditions,
      staleSeconds:
        degraded === undefined ? 0 : Math.max(0, Math.round((now - degraded.since) / 1000)),
      ...(database && { database }),
      plugins,
      listeners: listeners.list(),
      runs,
      process: {
        rss: memory.rss,
        heap: memory.heapUsed,
        loopLag: this.#lag.now(),
        node: process.versions.node,
      },
    };
  }

  readiness(): Readiness {
    const { kit, host, reloader, draining } = this.#subjects;
    const damage = damageReason(kit);
    const reasons = [
      ...(draining() ? ["The daemon is stopping."] : []),
      ...(reloader.current === undefined ? ["No configuration is running yet."] : []),
      ...host.status().flatMap((plugin) => (isDown(plugin) ? [describe(plugin)] : [])),
      ...(damage === undefined ? [] : [damage]),
      ...kit.conditions.list().flatMap(({ isUnready, reason }) => (isUnready ? [reason] : [])),
    ];
    return { ready: reasons.length === 0, reasons };
  }

  stop(): void {
    this.#lag.stop();
  }

  #state(reason: string | undefined): DaemonState {
    if (this.#subjects.draining()) return "draining";
    if (this.#subjects.reloader.current === undefined) return "starting";
    return reason === undefined ? "running" : "degraded";
  }
}

function damageReason(kit: DaemonServices): string | undefined {
  const [first, ...others] = kit.damage();
  if (!first) return undefined;
  const more = others.length === 0 ? "" : ` ${others.length} more findings.`;
  return `${first.what}${more} \`reeve state repair\` shows them all and accepts the loss.`;
}

const isDown = ({ state, health }: PluginStatus): boolean =>
  state === "backoff" || state === "quarantined" || health.state === "failed";

/** The first plugin that does not do all of its job, in one sentence. */
function sickness(plugins: readonly PluginStatus[]): string | undefined {
  const sick =
    plugins.find(isDown) ??
    plugins.find(({ state, health }) => state === "degraded" || health.state === "degraded");
  return sick && describe(sick);
}

function describe({ id, state, health, failure }: PluginStatus): string {
  const what = state === "running" ? health.state : state;
  const why = health.reason ?? failure?.reason;
  return `The plugin \`${id}\` is ${what}${why === undefined ? "." : `: ${why}`}`;
}
