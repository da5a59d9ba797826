/** The engine without containers: namespaces and bubblewrap. */
import { basename } from "node:path";
import { Attribution } from "../engine/attribution.js";
import type { ControlGroup } from "../engine/limits.js";
import { startSandbox } from "../engine/sandbox.js";
import type { PreparedSandbox, SandboxEngine } from "./engine.js";
import type { enter } from "./enter.js";
import { applyLimits } from "./resources.js";
import type { Settings } from "./settings.js";

/** Goes on with what is being entered while the rest of awf is loaded. */
export function nativeEngine(
  settings: Settings,
  entering: ReturnType<typeof enter>,
): SandboxEngine {
  let limits: ControlGroup | undefined;
  let left: Promise<void> | undefined;
  const leave = async () => {
    const entered = await entering.catch(() => undefined);
    await entered?.beginning.abandon();
    await limits?.[Symbol.asyncDispose]();
    entered?.namespace.close();
  };
  return {
    async enter(workDirectory): Promise<PreparedSandbox> {
      const { namespace } = await entering;
      limits = applyLimits(settings, basename(workDirectory), namespace);
      return {
        sockets: namespace.sockets,
        attribution: new Attribution(namespace.pid),
        start: async (command) => startSandbox(namespace, command),
      };
    },
    [Symbol.asyncDispose]: () => (left ??= leave()),
  };
}
