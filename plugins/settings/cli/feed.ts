/** Delivers the daemon's settings to one server, again after each change. Without a daemon it tries again every second. */
import { setTimeout as delay } from "node:timers/promises";
import { type Control, ControlError, Failure, watch } from "reeve/cli";
import type { SettingsPush } from "../offline.js";

/** Milliseconds between two attempts to reach the daemon. */
const RETRY = 1_000;

/**
 * Delivers the first of the named blocks that is there. Ends when the signal is aborted. `say` gets each reason for not
 * delivering once.
 */
export async function feed(
  control: Control,
  names: readonly string[],
  deliver: (delivery: SettingsPush) => void,
  {
    signal,
    server,
    say,
  }: {
    readonly signal: AbortSignal;
    /** The program that receives the settings. */
    readonly server: string;
    readonly say: (sentence: string) => void;
  },
): Promise<void> {
  let said: string | undefined;
  const sayOnce = (reason: string) => {
    if (reason !== said) say(`Settings are not delivered at the moment: ${reason}.`);
    said = reason;
  };
  const fetch = async () => {
    for (const name of names) {
      const path = `/${encodeURIComponent(name)}/delivery`;
      try {
        deliver(await control.get<SettingsPush>(path, { pid: process.pid, server }));
        said = undefined;
        return;
      } catch (thrown) {
        // Without the block the plugin may be missing too; an edit of the configuration can bring both.
        if (!(thrown instanceof ControlError)) throw thrown;
      }
    }
    const blocks = names.map((name) => `\`settings "${name}"\``).join(" and no ");
    sayOnce(`the daemon's configuration has no ${blocks}`);
  };
  while (!signal.aborted) {
    try {
      for await (const line of watch(control, { signal })) {
        if (line.line === "lost") sayOnce(line.reason);
        const matters =
          line.line === "snapshot" ||
          (line.line === "event" &&
            (/^config\.(reloaded|rolled_back)$/.test(line.type) ||
              (line.type === "settings.changed" && names.includes(String(line.data.name)))));
        if (matters) await fetch();
      }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      sayOnce(thrown.message);
      await delay(RETRY, undefined, { signal }).catch(() => undefined);
    }
  }
}
