/** The dashboard before a daemon that only talks. */
import type { ExecutionContext } from "ava";
import { render } from "ink-testing-library";
import { connect } from "../../control/client.js";
import { type Answers, daemonDouble } from "../../testing/daemon-double.js";
import { plugin } from "../../testing/samples.js";
import { DashboardApp } from "../app.js";
import { Dashboard } from "../dashboard.js";
import { plainTheme } from "../view/theme.js";
import { dashboardAnswers } from "./answers.js";
import { screens } from "./screens.js";

const KEYS = {
  Enter: "\r",
  Esc: "\u001b",
  "↓": "\u001b[B",
  Tab: "\t",
  Backspace: "\u007f",
} as const;

/** The dashboard before a daemon that gives these answers. */
export async function opened(t: ExecutionContext, answers: Answers = {}, readOnly = false) {
  t.timeout(60_000);
  const daemon = await daemonDouble({
    ...dashboardAnswers,
    "POST /v1/plugins/:id/restart": () => plugin,
    ...answers,
  });
  const control = connect({ control: daemon.socket });
  const options = {
    control,
    themes: [plainTheme],
    interval: 50,
    screen: "overview",
    screens,
    readOnly,
  } as const;
  const dashboard = new Dashboard(options);
  await dashboard.open();
  const app = render(<DashboardApp dashboard={dashboard} />);
  const over = dashboard.run();
  t.teardown(async () => {
    dashboard.quit();
    app.unmount();
    await over.finally(() => daemon.close());
  });
  const received = (request: string) => daemon.requests.some((each) => each.request === request);
  return {
    dashboard,
    received,
    async press(...keys: readonly string[]) {
      for (const key of keys) {
        app.stdin.write(KEYS[key as keyof typeof KEYS] ?? key);
        // An escape is one only when nothing follows it at once.
        await new Promise((resolve) => setTimeout(resolve, key === "Esc" ? 100 : 5));
      }
    },
    async until(wanted: RegExp) {
      const end = performance.now() + 20_000;
      while (!wanted.test(app.lastFrame() ?? "")) {
        if (performance.now() > end)
          throw new Error(`${wanted} does not come:\n${app.lastFrame()}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      t.pass();
    },
  };
}
