/** The dashboard without a terminal: text for people, documents for programs. */
import test from "ava";
import { runAgainst } from "../../testing/commands.js";
import type { Answers } from "../../testing/daemon-double.js";
import { generation, plugin, runSummary, snapshot, status } from "../../testing/samples.js";
import { model, updates } from "../testing/model.js";
import type { TopDocument } from "./document.js";

const event = {
  line: "event",
  sequence: 7,
  at: status.now,
  type: "hook.finished",
  plugin: "hooks",
  data: { hook: "deploy" },
} as const;

const answers: Answers = {
  "GET /v1/status": () => status,
  "GET /v1/plugins": () => ({ plugins: [plugin] }),
  "GET /v1/generations": () => ({ generations: [generation] }),
  "GET /v1/runs": () => ({ runs: [runSummary] }),
  "GET /v1/panels": () => ({ plugins: model.panels }),
  "GET /v1/logs": () => ({ boot: "b", lines: model.logs }),
  "GET /v1/settings": () => ({ settings: [] }),
  "GET /v1/updates/repos": () => ({ repos: updates.repos }),
  "GET /v1/updates/configs": () => ({ configs: updates.configs }),
  "GET /v1/updates/runs": () => ({ runs: updates.jobs }),
  "GET /v1/updates/pulls": () => ({ pulls: updates.pulls }),
  "POST /v1/plan": () => ({
    diagnostics: [],
    sources: {},
    plan: {
      changes: [],
      needsRestart: [],
      summary: generation.summary ?? {
        unchanged: 0,
        updated: 0,
        replaced: 0,
        added: 0,
        removed: 0,
      },
    },
  }),
  "GET /v1/events": async function* ({ url }) {
    yield url.searchParams.has("since") ? event : snapshot;
  },
};

test("--json is one document with all that the dashboard shows", async (t) => {
  const { code, stdout, stderr } = await runAgainst(t, ["top", "--json"], answers);
  t.is(code, 0);
  t.is(stderr, "");
  const document = JSON.parse(stdout) as TopDocument;
  t.deepEqual(Object.keys(document).sort(), [
    ...["events", "generations", "logs", "panels", "pending", "runs"],
    ...["settings", "status", "updates"],
  ]);
  t.deepEqual(document.updates, updates);
  t.deepEqual(document.logs, model.logs);
  t.is(document.status.pid, status.pid);
  t.deepEqual(
    document.runs.map(({ id }) => id),
    ["r-0001"],
  );
  t.deepEqual(
    document.events.map(({ sequence }) => sequence),
    [7],
  );
  t.deepEqual(
    document.generations.map(({ number }) => number),
    [12],
  );
  t.deepEqual(document.panels, JSON.parse(JSON.stringify(model.panels)));
});

test("--watch is the same document again and again, one a line", async (t) => {
  const { code, stdout } = await runAgainst(t, ["top", "--watch"], answers, {
    until: (text) => text.split("\n").length > 2,
  });
  t.is(code, 0);
  const [first = "", second = ""] = stdout.split("\n");
  t.deepEqual(Object.keys(JSON.parse(second)), Object.keys(JSON.parse(first)));
});

test("--once shows every screen as text", async (t) => {
  const { code, stdout } = await runAgainst(t, ["top", "--once"], answers);
  t.is(code, 0);
  for (const title of [
    "Overview",
    "Hooks",
    "Updates",
    "Firewall",
    "Settings",
    "Plugins",
    "Config",
    "Logs",
  ]) {
    t.regex(stdout, new RegExp(`^== ${title}$`, "m"));
  }
  t.regex(stdout, /failed +hook\.deploy/);
  t.regex(stdout, /12 +committed/);
});

test("--once with a screen shows only that, and ASCII where that is wanted", async (t) => {
  const { stdout } = await runAgainst(t, ["top", "--once", "--ascii", "overview"], answers);
  t.notRegex(stdout, /== Hooks/);
  t.regex(stdout, /hooks +\* running/);
  t.regex(stdout, /^[\n -~]*$/);
});

test("every form says when there is no daemon", async (t) => {
  for (const form of ["--json", "--once", "--watch"]) {
    const { code, stdout, stderr } = await runAgainst(t, ["top", form], {
      "GET /v1/status": () => ({
        type: "urn:reeve:draining",
        title: "Draining",
        status: 503,
        code: "draining",
        detail: "The daemon ends.",
      }),
    });
    t.is(code, 69);
    t.is(stdout, "");
    t.regex(stderr, /The daemon ends/);
  }
});
