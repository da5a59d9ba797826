/** The dashboard before a daemon that only talks. */
import type { ExecutionContext } from "ava";
import { render } from "ink-testing-library";
import { eventually, remains } from "../../../tests/support/eventually.js";
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
  t.timeout(90_000);
  const daemon = await daemonDouble({
    ...dashboardAnswers,
    "POST /v1/plugins/:id/restart": () => plugin,
    ...answers,
  });
  // Everything runs in this one process: on a busy machine an answer waits for the dashboards of all its tests.
  const control = connect({ control: daemon.socket, deadline: 45_000 });
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
        await remains("a pause after the key", () => true, key === "Esc" ? 100 : 5);
      }
    },
    async until(wanted: RegExp) {
      const isThere = () => wanted.test(app.lastFrame() ?? "");
      await eventually(`${wanted}`, isThere).catch((error: Error) => {
        throw new Error(`${error.message}\n${app.lastFrame()}`);
      });
      t.pass();
    },
  };
}
