/** `reeve top --plain`: reads commands from standard input and says what happens, a line each. */
import { createInterface } from "node:readline";
import type { Control } from "../../control/client.js";
import { ModelSource, pause } from "../model/source.js";
import { loadScreens } from "../screens/load.js";
import { PlainSession } from "./session.js";

export interface PlainTerminalOptions {
  readonly control: Control;
  readonly screen: string;
  readonly readOnly: boolean;
  /** Seconds between two looks at the daemon. */
  readonly interval: number;
  readonly write: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Resolves after `quit`, at the end of standard input, or when `signal` is aborted. */
export async function openPlain(options: PlainTerminalOptions): Promise<void> {
  const { control, screen, readOnly, write, interval } = options;
  const screens = await loadScreens(await control.status());
  const source = new ModelSource(control, screens);
  const focus = { pending: true, screens: screens.map(({ id }) => id), logs: true };
  await source.past(AbortSignal.timeout(5000)).catch(() => undefined);
  await source.ask(focus);
  const withRun = async (run: string) => {
    await source.askClosely({ ...focus, run });
    return source.model;
  };
  const all = { control, screens, screen, readOnly, write, withRun };
  const session = new PlainSession(all, source.model);
  session.start();
  const over = new AbortController();
  const end = () => over.abort();
  options.signal.addEventListener("abort", end, { once: true });
  // Without a terminal of its own it neither moves the cursor nor repeats what is written.
  const lines = createInterface({ input: process.stdin, terminal: false });
  over.signal.addEventListener("abort", () => lines.close(), { once: true });
  const following = source.follow(over.signal, () => undefined);
  const ticking = (async () => {
    while (!over.signal.aborted) {
      await pause(Math.max(1, interval) * 1000, over.signal);
      if (over.signal.aborted) return;
      await source.ask(focus);
      session.update(source.model);
    }
  })();
  try {
    for await (const line of lines) {
      if (!(await session.command(line))) break;
    }
  } finally {
    end();
    lines.close();
    options.signal.removeEventListener("abort", end);
    process.stdin.pause();
    await Promise.allSettled([following, ticking]);
  }
}
