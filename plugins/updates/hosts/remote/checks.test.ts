/** Merges never pass a check that failed, is pending, absent, late, renamed or repeated, on any page of any host. */
import test from "ava";
import fc from "fast-check";
import { runs } from "../../../../tests/support/runs.js";
import type { HostRepoRef } from "../../model.js";

import {
  checkPage,
  type ForgeKind,
  protectionOf,
  type SimulatedChecks,
  type SimulatedReport,
} from "../../testing/forge-checks.js";
import { confirmedChecks } from "./checks.js";
import { gitHubLike } from "./github.js";
import { gitLab } from "./gitlab.js";
import type { Ask } from "./rest.js";

const kinds = ["github", "gitea", "gitlab"] as const;
const dialects = { github: gitHubLike("github"), gitea: gitHubLike("gitea"), gitlab: gitLab };
const repo: HostRepoRef = { hostId: 7, login: "acme", name: "site", location: "" };
const pull = { number: 1, base: "main", head: "a".repeat(40) };

const checksOf = (reports: SimulatedReport[], more: Partial<SimulatedChecks> = {}) => ({
  ...{ reports, required: [], byRules: false, mostPerPage: 100, ...more },
});

/** `onRequest` runs before each response. */
function askOf(kind: ForgeKind, checks: SimulatedChecks, onRequest = (): void => undefined): Ask {
  return async (_method, path) => {
    onRequest();
    const { pathname, searchParams } = new URL(path, "http://forge.example");
    const page = checkPage(kind, { checks }, pathname, searchParams);
    if (page) return { status: 200, body: page.body, next: page.next };
    if (/\/branches\//.test(pathname))
      return { status: 200, body: { commit: {}, ...protectionOf(kind, checks) } };
    if (/\/merge_requests\/1$/.test(pathname)) return { status: 200, body: { sha: pull.head } };
    return { status: 404, body: undefined };
  };
}

function read(kind: ForgeKind, checks: SimulatedChecks, onRequest?: () => void) {
  const ask = askOf(kind, checks, onRequest);
  const reading = () => dialects[kind].checks(ask, repo, pull);
  return confirmedChecks(reading, reading);
}

/** An independent statement of when all reports that count have passed. */
function hasPassed(kind: ForgeKind, { reports, required }: SimulatedChecks): boolean {
  const counted =
    kind !== "github"
      ? reports.filter(
          ({ id, name }) => !reports.some((each) => each.name === name && each.id > id),
        )
      : reports;
  const isMet = ({ name, app }: { readonly name: string; readonly app?: number }): boolean => {
    const those = counted.filter(
      (each) =>
        each.name === name &&
        (kind !== "github" || app === undefined || (each.via === "run" && (each.app ?? 1) === app)),
    );
    return those.length > 0 && those.every(({ state }) => state === "success");
  };
  return (
    counted.every(({ state }) => state === "success") &&
    (kind === "gitlab" || required.every(isMet))
  );
}

const report = (id: number, more: Partial<SimulatedReport> = {}): SimulatedReport => ({
  ...{ id, name: `check ${id}`, via: "run", state: "success", ...more },
});

for (const kind of kinds)
  test(`${kind}: one of 250 checks that has not passed is found wherever it is`, async (t) => {
    for (const via of ["run", "status"] as const)
      for (const state of ["failure", "pending"] as const)
        for (let at = 0; at < 250; at += 1) {
          const reports = Array.from({ length: 250 }, (_, id) =>
            report(id, { via, ...(id === at ? { state } : {}) }),
          );
          const { all } = await read(kind, checksOf(reports, { mostPerPage: 50 }));
          t.is(all.state, state === "failure" ? "failed" : "pending");
          t.true(all.why?.endsWith(`: check ${at}.`), all.why);
        }
    const passed = Array.from({ length: 250 }, (_, id) => report(id));
    t.is((await read(kind, checksOf(passed))).all.state, "passed");
  });

const changeKinds = ["report", "repeat", "finish", "rename", "forget", "require"] as const;

interface Scheduled {
  readonly at: number;
  readonly change: (typeof changeKinds)[number];
  readonly which: number;
  readonly state: SimulatedReport["state"];
  readonly via: SimulatedReport["via"];
  readonly first: boolean;
}

const states = fc.oneof(
  { weight: 8, arbitrary: fc.constant("success" as const) },
  { weight: 1, arbitrary: fc.constant("failure" as const) },
  { weight: 1, arbitrary: fc.constant("pending" as const) },
);
const histories = fc.record({
  initial: fc.array(fc.record({ state: states, via: fc.constantFrom("run", "status") }), {
    maxLength: 9,
  }),
  required: fc.array(fc.record({ which: fc.nat(9), app: fc.option(fc.nat(2)) }), { maxLength: 2 }),
  byRules: fc.boolean(),
  mostPerPage: fc.integer({ min: 1, max: 4 }),
  changes: fc.array(
    fc.record({
      at: fc.nat(40),
      change: fc.constantFrom(...changeKinds),
      which: fc.nat(9),
      state: states,
      via: fc.constantFrom("run", "status"),
      first: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
});

/** Applies a change as the host would: a repeated check is another report, and may be listed first or last. */
function apply(kind: ForgeKind, checks: SimulatedChecks, change: Scheduled, id: number): void {
  const old = checks.reports[change.which % Math.max(checks.reports.length, 1)];
  const add = (name: string, via: SimulatedReport["via"]): void => {
    checks.reports[change.first ? "unshift" : "push"](
      report(id, { name, state: change.state, via }),
    );
  };
  if (change.change === "report") add(`check ${change.which}`, change.via);
  else if (change.change === "require") checks.required.push({ name: `check ${change.which}` });
  else if (change.change === "finish") {
    if (old?.state === "pending") old.state = change.state;
  } else if (old) {
    // Gitea keeps replaced reports.
    if (kind !== "gitea") checks.reports = checks.reports.filter((each) => each !== old);
    const name = change.change === "rename" ? `${old.name}, renamed` : old.name;
    if (change.change !== "forget") add(name, old.via);
  }
}

const numRuns = Number(process.env.REEVE_HISTORIES ?? runs(300, 1500));

for (const kind of kinds)
  test(`${kind}: no generated history of checks has a wrong merge`, async (t) => {
    let merges = 0;
    await fc.assert(
      fc.asyncProperty(histories, async ({ initial, required, byRules, mostPerPage, changes }) => {
        const reports = initial.map((each, id) => report(id, each));
        const checks = checksOf(reports, {
          ...{ byRules, mostPerPage },
          required: required.map(({ which, app }) => ({
            ...{ name: `check ${which}`, ...(app === null ? {} : { app }) },
          })),
        });
        let requests = 0;
        let id = 100;
        let wasPassed = hasPassed(kind, checks);
        const { all } = await read(kind, checks, () => {
          requests += 1;
          for (const change of changes.filter(({ at }) => at === requests)) {
            id += 1;
            apply(kind, checks, change, id);
            wasPassed ||= hasPassed(kind, checks);
          }
        });
        if (all.state !== "passed" && all.state !== "none") return true;
        merges += 1;
        return wasPassed;
      }),
      { numRuns },
    );
    t.true(merges > numRuns / 20, `${merges} of ${numRuns} histories end with a merge`);
  });
