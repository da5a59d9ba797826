/** Puts the dashboard on the terminal, and leaves the terminal as it was. */
import { type RenderOptions, render } from "ink";
import { DashboardApp } from "./app.js";
import type { Dashboard } from "./dashboard.js";
import type { FirstFrame } from "./first-frame.js";
import { MouseReports } from "./mouse.js";
import { TerminalInput } from "./terminal-input.js";

/** Frames a second at most; input shows within one of them. */
const FRAMES = 30;

/** Resolves after quit, with the terminal restored. */
export async function onTerminal(
  dashboard: Dashboard,
  first: FirstFrame,
  { mouse }: { readonly mouse: boolean },
): Promise<void> {
  const options: RenderOptions = {
    alternateScreen: true,
    incrementalRendering: true,
    maxFps: FRAMES,
    exitOnCtrlC: false,
    patchConsole: true,
    // Being asked for, it is there, also where CI is in the environment.
    interactive: true,
  };
  const reports = mouse ? new MouseReports((text) => process.stdout.write(text)) : undefined;
  const input = new TerminalInput(process.stdin, reports);
  const stdin = input as unknown as NodeJS.ReadStream;
  const instance = first.handOver(() =>
    render(<DashboardApp dashboard={dashboard} input={input} />, { ...options, stdin }),
  );
  input.onMouse((event) => {
    const { columns = 80, rows = 24 } = process.stdout;
    dashboard.point(event, { width: columns, height: rows });
  });
  try {
    await Promise.all([dashboard.run(), instance.waitUntilExit()]);
  } finally {
    dashboard.quit();
    instance.unmount();
    await instance.waitUntilExit().catch(() => undefined);
    instance.cleanup();
    input.detach();
  }
}
