/** Opens the dashboard on the terminal of this process. */
import type { Control } from "../control/client.js";
import type { Output } from "../plugin-api/output.js";
import { chooseThemes } from "./choose-theme.js";
import { Dashboard } from "./dashboard.js";
import { showFirstFrame } from "./first-frame.js";
import { screenNamed } from "./options.js";
import { loadScreens } from "./screens/load.js";
import { askBackground } from "./terminal-input.js";
import { type ColourDepth, plainTheme, showsUnicode } from "./view/theme.js";

export interface DashboardTerminalOptions {
  readonly control: Control;
  readonly output: Output;
  /** The screen to begin with, if one was named. */
  readonly words: readonly string[];
  /** As `--theme` names it. */
  readonly theme: string;
  readonly noBackground: boolean;
  readonly ascii: boolean;
  /** Leaves the mouse to the terminal. */
  readonly noMouse: boolean;
  /** Seconds between two looks at the daemon. */
  readonly interval: number;
  readonly readOnly: boolean;
  /** Ends it from outside. */
  readonly until?: AbortSignal;
}

const GONE = ["end", "close", "error"] as const;

/** Resolves after quit, or when the terminal has gone. Without a daemon it rejects before it touches the terminal. */
export async function openDashboard(options: DashboardTerminalOptions): Promise<void> {
  // React looks at it once, when it is loaded: without it it checks everything it does.
  const { env } = process;
  env.NODE_ENV ??= "production";
  const { control, output, words, interval, readOnly, until } = options;
  const unicode = !options.ascii && showsUnicode(env);
  const screens = await loadScreens(await control.status());
  const dashboard = new Dashboard({
    control,
    screens,
    themes: [plainTheme],
    interval: Math.max(1, interval) * 1000,
    screen: screenNamed(words) ?? "overview",
    readOnly,
  });
  await dashboard.open();
  if (until?.aborted) return;
  const depth = output.out.colour ? (process.stdout.getColorDepth() as ColourDepth) : 0;
  dashboard.themes = await chooseThemes({
    name: options.theme,
    environment: env,
    terminal: { depth, unicode, background: !options.noBackground },
    ...(env.TERM !== "linux" && { background: () => askBackground() }),
  });
  const { columns = 80, rows = 24 } = process.stdout;
  const first = showFirstFrame(dashboard.frame({ width: columns, height: rows }));
  const end = () => dashboard.quit();
  until?.addEventListener("abort", end, { once: true });
  // A terminal can go without a signal, where it is not the controlling one.
  const { stdin, stdout } = process;
  for (const name of GONE) stdin.once(name, end);
  stdout.once("error", end);
  let bug: { readonly thrown: unknown } | undefined;
  // Told when the terminal is as it was: what is said on the other screen goes with it.
  const fail = (thrown: unknown) => {
    bug ??= { thrown };
    dashboard.quit();
  };
  process.on("uncaughtException", fail);
  try {
    const onTerminal = await drawer().catch((thrown: unknown) => {
      first.leave();
      throw thrown;
    });
    await onTerminal(dashboard, first, { mouse: !options.noMouse });
  } finally {
    until?.removeEventListener("abort", end);
    for (const name of GONE) stdin.off(name, end);
    stdout.off("error", end);
    process.off("uncaughtException", fail);
  }
  if (bug) throw bug.thrown;
}

/**
 * React, Ink and the layout engine. The engine has its code with it and reads it with `fetch` where there is one, which would
 * load a whole client of HTTP.
 */
async function drawer(): Promise<typeof import("./terminal.js").onTerminal> {
  // It is left open for days.
  const { limitHeap } = await import("../program/heap-limit.js");
  limitHeap();
  const lent = Object.getOwnPropertyDescriptor(globalThis, "fetch");
  Reflect.deleteProperty(globalThis, "fetch");
  try {
    return (await import("./terminal.js")).onTerminal;
  } finally {
    if (lent) Object.defineProperty(globalThis, "fetch", lent);
  }
}
