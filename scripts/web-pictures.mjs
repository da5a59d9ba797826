// Takes the pictures of docs/web.md: the page of `reeve web` in Chromium, with data that is always the same. Needs a build.
// `npm run pictures -- DIRECTORY` takes one of every screen instead.
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../dist/cli/control/client.js";
import { daemonDouble } from "../dist/cli/testing/daemon-double.js";
import { NOW, plugin, runSummary, snapshot, status } from "../dist/cli/testing/samples.js";
import { dashboardAnswers } from "../dist/cli/tui/testing/answers.js";
import { model } from "../dist/cli/tui/testing/model.js";
import { screens } from "../dist/cli/tui/testing/screens.js";
import { serveWeb } from "../dist/cli/web/server.js";
import { launchBrowser } from "../dist/cli/web/testing/browser.js";

const MINUTE = 60_000;
const HOOKS = ["deploy", "build", "report"];

/** Runs of the last hour, newest first. Every ninth has failed; the newest one runs. */
const runs = Array.from({ length: 48 }, (_, index) => {
  const queuedAt = NOW - index * 1.2 * MINUTE - 9000;
  const hook = HOOKS[index % HOOKS.length];
  const end = { finishedAt: queuedAt + 2000 + ((index * 7) % 11) * 400 };
  const state =
    index === 0
      ? { state: "running", finishedAt: undefined, exitCode: undefined, reason: undefined }
      : index % 9 === 4
        ? { ...end, state: "failed", reason: "The command ended with exit code 2." }
        : { ...end, state: "succeeded", exitCode: 0, reason: undefined };
  return {
    ...{ ...runSummary, id: `r-${String(100 - index).padStart(4, "0")}`, subject: `hook.${hook}` },
    ...{ trigger: `POST /hooks/${hook} from 192.0.2.7`, queuedAt, startedAt: queuedAt + 5 },
    ...state,
  };
});
const events = runs.slice(1, 30).map(({ subject, state, finishedAt, queuedAt }, index) => ({
  ...{ line: "event", sequence: 60 - index, at: finishedAt, type: "hook.finished" },
  plugin: "hooks",
  data: { hook: subject.slice("hook.".length), state, duration: finishedAt - queuedAt },
}));
const shown = {
  ...status,
  plugins: [
    plugin,
    { ...plugin, id: "updates", title: "Updates", permissions: {}, blocks: 2 },
    { ...plugin, id: "firewall", title: "Firewall", permissions: {}, blocks: 1 },
  ],
};
const questions = {
  ...{ kind: "table", id: "questions", title: "Questions" },
  columns: [
    { id: "sandbox", title: "Sandbox" },
    { id: "domain", title: "Domain" },
    { id: "program", title: "Program" },
  ],
  rows: [{ id: "1f0c", since: NOW, sandbox: "build", domain: "api.example.org", program: "curl" }],
};
const wave = (base, size) =>
  Array.from({ length: 60 }, (_, at) => Math.round(base + size * Math.sin(at / 6)));
const requests = {
  ...{ kind: "series", id: "requests", title: "Requests of sandboxes", interval: MINUTE },
  series: [
    { name: "allowed", points: wave(40, 25) },
    { name: "denied", points: wave(4, 3) },
  ],
};

const daemon = await daemonDouble({
  ...dashboardAnswers,
  "GET /v1/status": () => shown,
  "GET /v1/runs": () => ({ runs }),
  "GET /v1/runs/:id": () => ({ ...runSummary, ...runs[4], output: dashboardOutput }),
  "GET /v1/panels": () => ({
    plugins: [
      ...model.panels.filter((each) => each.plugin === "hooks"),
      { plugin: "firewall", panels: [requests, questions] },
    ],
  }),
  async *"GET /v1/events"({ url }) {
    if (url.searchParams.has("since")) yield* events.toReversed();
    else yield { ...snapshot, sequence: 60, status: shown, runs };
    await new Promise(() => undefined);
  },
});
const dashboardOutput = { text: "pulling\nno such branch\n", bytes: 23, omitted: 0 };

const wide = { width: 1180, height: 720 };
const [directory] = process.argv.slice(2);
/** Name, path, what is pressed, colors and size. */
const pictures =
  directory === undefined
    ? [
        ["web-overview", "/overview", undefined, "dark", wide],
        ["web-runs", "/hooks?tab=1", undefined, "light", { width: 1180, height: 420 }],
        ["web-question", "/firewall?tab=3", "o", "dark", { width: 1180, height: 420 }],
        ["web-narrow", "/overview", undefined, "light", { width: 320, height: 640 }],
      ]
    : screens.map(({ id }) => [`web-${id}`, `/${id}`, undefined, "dark", wide]);
const folder = resolve(
  directory ?? join(dirname(fileURLToPath(import.meta.url)), "../docs/pictures"),
);
mkdirSync(folder, { recursive: true });

const server = await serveWeb({
  ...{ control: connect({ control: daemon.socket }), screens, port: 0, interval: 1000 },
  ...{ usesAddress: false, readOnly: false },
});
const { browser, close } = await launchBrowser();
try {
  for (const [name, path, key, colorScheme, viewport] of pictures) {
    const context = await browser.newContext({
      ...{ colorScheme, viewport, reducedMotion: "reduce" },
    });
    const page = await context.newPage();
    await page.goto(server.address().replace("/#", `${path}#`));
    await page.locator("section").first().waitFor();
    if (key !== undefined) {
      await page.locator("[data-row]").first().focus();
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
    }
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await context.close();
  }
} finally {
  await close();
  await server.close();
  await daemon.close();
}
