/** The report of updates: ages, merge times, what is behind; and its page. */
import test from "ava";
import fc from "fast-check";
import { reportHtml } from "./report.js";
import { updatesReport } from "./report-data.js";
import type { UpdateJob, UpdatePull, UpdatesView } from "./screen-data.js";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();

const pull = (number: number, state: string, opened: number, changed: number): UpdatePull => ({
  ...{ id: number, repo: "acme/site", number, title: `Bump a to 1.${number}`, state },
  ...{ checks: "pending", automerge: "waiting", "automerge-reason": "a minor update", note: null },
  ...{ security: number === 2, "created-at": ago(opened), "updated-at": ago(changed) },
  ...{ body: "", dependencies: [] },
});

const job = (id: number, started: number, outcomes: UpdateJob["outcomes"]): UpdateJob => ({
  ...{ id, repo: "acme/site", config: 1, trigger: "schedule", state: "succeeded", reason: null },
  ...{ "started-at": ago(started), "finished-at": ago(started), outcomes },
});

const view: UpdatesView = {
  repos: [{ name: "acme/site" }, { name: "acme/docs" }],
  configs: [
    {
      ...{ id: 1, repo: "acme/site", "package-manager": "npm_and_yarn", directory: "/" },
      ...{ "update-schedule": "daily", "last-run-at": null, "next-run-at": null, trouble: null },
    },
  ],
  pulls: [
    pull(1, "open", 5, 1),
    pull(2, "open", 48, 1),
    pull(3, "merged", 10, 9),
    pull(4, "merged", 30, 28),
    pull(5, "merged", 90, 60),
    pull(6, "closed", 3, 2),
  ],
  jobs: [
    job(3, 1, [
      { name: "left", kind: "pull_request", from: "1.0.0", to: "1.2.0", number: 1 },
      { name: "right", kind: "none", from: "2.0.0", to: "3.0.0", why: "It is a major update." },
      { name: "same", kind: "none", from: "1.0.0", to: "1.0.0" },
      { name: "unknown", kind: "failed", why: "The registry did not answer." },
    ]),
    job(2, 25, [{ name: "left", kind: "pull_request", from: "1.0.0", to: "1.1.0", number: 1 }]),
    job(1, 49, [{ name: "left", kind: "pull_request", from: "0.9.0", to: "1.0.0", number: 9 }]),
  ],
};

test("open proposals have their age, the oldest first", (t) => {
  const { open } = updatesReport(view, NOW);
  t.deepEqual(
    open.map(({ number, age }) => [number, age / HOUR]),
    [
      [2, 48],
      [1, 5],
    ],
  );
});

test("merge times are from opening to merge", (t) => {
  const { merged, mergeTime, closed } = updatesReport(view, NOW);
  t.deepEqual(
    merged.map(({ number, took }) => [number, took / HOUR]),
    [
      [3, 1],
      [4, 2],
      [5, 30],
    ],
  );
  t.deepEqual(mergeTime, { median: 2 * HOUR, p90: 30 * HOUR });
  t.is(closed, 1);
});

test("a dependency is behind since the first run that found it at its version", (t) => {
  const { behind } = updatesReport(view, NOW);
  t.deepEqual(
    behind.map(({ name, from, to, since, state }) => [name, from, to, since / HOUR, state]),
    [
      ["left", "1.0.0", "1.2.0", 25, "pull request #1"],
      ["right", "2.0.0", "3.0.0", 1, "It is a major update."],
    ],
  );
});

test("without anything there is nothing but numbers", (t) => {
  const report = updatesReport({ repos: [], configs: [], jobs: [], pulls: [] }, NOW);
  t.deepEqual(report, {
    repositories: 0,
    projects: 0,
    open: [],
    merged: [],
    closed: 0,
    behind: [],
  });
  t.notRegex(reportHtml(report, NOW), /<svg|<table/);
});

test("the page has both charts and all tables, and loads nothing", (t) => {
  const page = reportHtml(updatesReport(view, NOW), NOW);
  t.is(page.match(/<svg /g)?.length, 2);
  t.is(page.match(/<rect /g)?.length, 5);
  t.regex(page, /2 open, the oldest for 2d/);
  t.regex(page, /<td>security: Bump a to 1\.2<\/td>/);
  t.notRegex(page, /<script|<link|<img|https?:|url\(|@import/);
});

test("no text of a proposal or dependency becomes markup", (t) => {
  const text = fc.oneof(fc.string(), fc.constantFrom("<script>", '"><b>', "'", "</title><b>"));
  fc.assert(
    fc.property(text, text, (title, name) => {
      const hostile: UpdatesView = {
        ...view,
        pulls: view.pulls.map((each) => ({ ...each, title, repo: name })),
        jobs: [job(3, 1, [{ name, kind: "none", from: title, to: `${title}!`, why: name }])],
      };
      const page = reportHtml(updatesReport(hostile, NOW), NOW);
      t.notRegex(page, /<(?:script|b)\b/);
      // Open, merged and behind: as many cells as columns.
      t.is(page.match(/<td/g)?.length, 2 * 6 + 3 * 5 + 7);
    }),
  );
});
