/** The engine without containers: namespaces and bubblewrap. */
import { basename } from "node:path";
import { Attribution } from "../engine/attribution.js";
import { ControlGroup, type ResourceLimits } from "../engine/limits.js";
import { maskFromOutside } from "../engine/mask.js";
import type { Namespace } from "../engine/namespace.js";
import { withoutOwn } from "../engine/own-files.js";
import { childProcesses, startSandbox } from "../engine/sandbox.js";
import { copyingProcesses } from "../engine/standard-files.js";
import type { SandboxEngine } from "./launch.js";

export interface OpenedNamespace {
  readonly namespace: Namespace;
  /** Ends the namespace with the engine; absent: another owner ends it. */
  readonly abandon?: () => Promise<void>;
}

/** @param group the start of the control group's name */
export function nativeEngine(
  { memoryBytes, processes }: ResourceLimits,
  opening: Promise<OpenedNamespace>,
  group = "",
): SandboxEngine {
  let limits: ControlGroup | undefined;
  let disposed: Promise<void> | undefined;
  const dispose = async () => {
    const opened = await opening.catch(() => undefined);
    await opened?.abandon?.();
    await limits?.[Symbol.asyncDispose]();
    if (opened?.abandon) opened.namespace.close();
  };
  return {
    nests: true,
    async prepare(workDirectory) {
      const { namespace } = await opening;
      if (memoryBytes !== undefined || processes !== undefined) {
        const pids = [namespace.pid, ...childProcesses(namespace.pid)];
        const name = group + basename(workDirectory);
        const copying = copyingProcesses(namespace.files);
        limits = new ControlGroup(name, pids, {
          memoryBytes,
          processes: processes && processes + copying,
        });
      }
      return {
        sockets: namespace.sockets,
        attribution: new Attribution(namespace.pid),
        hiding: {
          mask: (path, empty) => maskFromOutside(namespace.pid, empty, path),
          withoutOwn: (paths) => withoutOwn(namespace.pid, paths),
        },
        start: async (command) => startSandbox(namespace, command),
      };
    },
    [Symbol.asyncDispose]: () => (disposed ??= dispose()),
  };
}
