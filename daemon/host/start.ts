/** Starts instances: context, code in its isolation, deadlines. */
import type { PluginSource } from "../catalog/source.js";
import {
  type ContextDependencies,
  createPluginContext,
  type InstanceContext,
} from "../context/plugin-context.js";
import type { Clock } from "../plugin-api/context.js";
import type { Announcements } from "./announce.js";
import { DEADLINES, isLate, withDeadline } from "./deadline.js";
import { startInline } from "./instance/inline.js";
import type { Instance } from "./instance/instance.js";
import type { SupervisorDependencies } from "./supervision/dependencies.js";
import type { OrphanProcesses } from "./supervision/orphan-processes.js";
import type { Quarantine } from "./supervision/quarantine.js";

export interface StartOptions extends ContextDependencies {
  readonly clock: Clock;
  readonly quarantine: Quarantine;
  readonly orphans: OrphanProcesses;
  readonly announce: Announcements;
}

export function instanceStarter(
  options: StartOptions,
): Pick<SupervisorDependencies, "start" | "prepare"> {
  const { clock, quarantine, registry, orphans, announce } = options;

  /** Code in this process can take the daemon with it. */
  const careful = <Result>(
    { isolation, description }: PluginSource,
    work: () => Promise<Result>,
  ): Promise<Result> =>
    isolation === "process" ? work() : quarantine.atRisk(description.id, work);

  async function start(source: PluginSource, signal: AbortSignal): Promise<Instance> {
    const context = createPluginContext(source, options);
    const { isolation } = source;
    return isolation === "inline"
      ? startInThread(source, context, signal)
      : startRemote(source, isolation, context, signal);
  }

  async function startInThread(
    source: PluginSource,
    context: InstanceContext,
    signal: AbortSignal,
  ): Promise<Instance> {
    const starting = source.definition().then((definition) => startInline(definition, context));
    try {
      return await withDeadline(clock, DEADLINES.setup, "start", signal, () => starting);
    } catch (thrown) {
      // An instance that starts too late is stopped.
      starting
        .then(
          (instance) => instance.stop("failed", AbortSignal.abort()),
          () => undefined,
        )
        .catch(() => undefined);
      await context.dispose();
      await context.claims.close();
      throw thrown;
    }
  }

  async function startRemote(
    source: PluginSource,
    isolation: "worker" | "process",
    context: InstanceContext,
    signal: AbortSignal,
  ): Promise<Instance> {
    // Loaded with the first isolated plugin; most daemons have none.
    const { openRemote } = await import("./instance/remote.js");
    const { id } = source.description;
    const instance = openRemote(source, isolation, context, registry, (counts) =>
      announce.dropped(id, counts),
    );
    try {
      await remember(instance);
      await withDeadline(clock, DEADLINES.setup, "start", signal, (inner) => instance.setup(inner));
      return instance;
    } catch (thrown) {
      await instance.dispose();
      await instance.releaseClaims(false);
      throw thrown;
    }
  }

  async function remember({ pid, gone }: Instance): Promise<void> {
    if (pid === undefined) return;
    await orphans.note(pid);
    // A late removal is harmless: the next daemon compares start times before it kills anything.
    gone.then(() => orphans.forget(pid)).catch(() => undefined);
  }

  return {
    start: (source, signal) => careful(source, () => start(source, signal)),
    prepare: (source, instance, part, signal) =>
      careful(source, async () => {
        try {
          return await withDeadline(clock, DEADLINES.prepare, "prepare", signal, (inner) =>
            instance.prepare(part, inner),
          );
        } catch (thrown) {
          if (isLate(thrown)) await terminateIfHanging(instance, DEADLINES.health);
          else if (signal.aborted) await terminateIfHanging(instance, DEADLINES.unused);
          throw thrown;
        }
      }),
  };

  /** A late plugin that does not answer a ping hangs and is terminated. */
  async function terminateIfHanging(instance: Instance, deadline: number): Promise<void> {
    try {
      await withDeadline(clock, deadline, "answer", undefined, () => instance.ping());
    } catch {
      await instance.terminate();
    }
  }
}
