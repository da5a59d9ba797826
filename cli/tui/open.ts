/** Opens the dashboard on the terminal of this process. */
import type { Control } from "../control/client.js";
import type { Output } from "../output.js";
import { Dashboard } from "./dashboard.js";
import { screenNamed } from "./options.js";
import { showsUnicode, themeOf } from "./view/theme.js";

export interface OpenOptions {
  readonly control: Control;
  readonly output: Output;
  /** The screen to begin with, if one was named. */
  readonly words: readonly string[];
  readonly theme: Parameters<typeof themeOf>[0]["theme"];
  readonly ascii: boolean;
  /** Seconds between two looks at the daemon. */
  readonly interval: number;
  readonly readOnly: boolean;
  /** Ends it from outside. */
  readonly until?: AbortSignal;
}

/** Resolves when somebody has quit. Rejects before the terminal is touched where there is no daemon. */
export async function openDashboard(options: OpenOptions): Promise<void> {
  // React looks at it once, when it is loaded: without it it checks everything it does.
  const { env } = process;
  env.NODE_ENV ??= "production";
  const { control, output, words, interval, readOnly, until } = options;
  const unicode = !options.ascii && showsUnicode(env);
  const dashboard = new Dashboard({
    control,
    theme: themeOf({ theme: options.theme, colour: output.out.colour, unicode }),
    interval: Math.max(1, interval) * 1000,
    screen: screenNamed(words) ?? "overview",
    readOnly,
  });
  const [{ onTerminal }] = await Promise.all([import("./terminal.js"), dashboard.open()]);
  const end = () => dashboard.quit();
  until?.addEventListener("abort", end, { once: true });
  try {
    if (!until?.aborted) await onTerminal(dashboard);
  } finally {
    until?.removeEventListener("abort", end);
  }
}
