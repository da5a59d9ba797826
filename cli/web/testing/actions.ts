/** Every action of every screen, before a daemon that answers it: its question, the request that it leads to, and its result. */
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import type { Screen, Screens } from "../../plugin-api/screen.js";
import type { Answers } from "../../testing/daemon-double.js";
import { folder } from "../../testing/reeve.js";
import { generation, NOW, plugin, runSummary, snapshot, status } from "../../testing/samples.js";
import { screens as ownScreens } from "../../tui/testing/screens.js";
import { tableList } from "../../tui/view/list.js";

export interface ActionCase {
  readonly screen: string;
  readonly tab?: number;
  /** Absent: the action is about the whole screen. */
  readonly row?: string;
  readonly action: string;
  /** Absent: nothing is asked. */
  readonly question?: RegExp;
  /** What reaches the daemon; absent where a second question comes first. */
  readonly request?: string;
  readonly body?: object;
  readonly result: RegExp;
  /** The question of the result, and the result of its answer. */
  readonly offer?: { readonly question: RegExp; readonly result: RegExp };
}

const answer = "POST /v1/firewall/questions/1f0c";
export const actionCases: readonly ActionCase[] = [
  {
    ...{ screen: "plugins", row: "hooks", action: "restart" },
    question: /^Start hooks afresh\? What it is doing is given up\.$/,
    request: "POST /v1/plugins/hooks/restart",
    result: /^hooks is running$/,
  },
  {
    ...{ screen: "plugins", row: "firewall", action: "release" },
    question: /^Start firewall again\?$/,
    request: "POST /v1/plugins/firewall/release",
    result: /^firewall is running$/,
  },
  {
    ...{ screen: "config", action: "plan", request: "POST /v1/plan" },
    result: /What a reload would change[\s\S]*What is on disk is what runs\./,
  },
  {
    ...{ screen: "config", action: "reload", request: "POST /v1/reload" },
    question: /^Reload the configuration now\?$/,
    result: /^Generation 13 runs\.$/,
  },
  {
    ...{ screen: "config", row: "11", action: "rollback" },
    question: /^Run generation 11 again, until the next edit\?$/,
    request: "POST /v1/rollback",
    body: { generation: 11 },
    result: /^Generation 14 runs\.$/,
  },
  {
    ...{ screen: "hooks", tab: 1, row: "r-0001", action: "replay", body: { run: "r-0001" } },
    question: /^Replay the request of run r-0001 of hook\.deploy\?$/,
    request: "POST /v1/hooks/replay",
    result: /^Started the run r-0009\.$/,
  },
  {
    ...{ screen: "hooks", tab: 1, row: "r-0003", action: "cancel", body: { run: "r-0003" } },
    question: /^Cancel run r-0003 of hook\.deploy and all its processes\?$/,
    request: "POST /v1/hooks/cancel",
    result: /^The run r-0003 is cancelled\.$/,
  },
  {
    ...{ screen: "firewall", tab: 3, row: "1f0c", action: "once", body: { answer: "once" } },
    ...{ request: answer, question: /^Allow api\.example\.org now\?$/ },
    result: /^Question 1f0c is answered: once\.$/,
  },
  {
    ...{ screen: "firewall", tab: 3, row: "1f0c", action: "run", body: { answer: "run" } },
    ...{ request: answer, question: /^Allow api\.example\.org until the command ends\?$/ },
    result: /^Question 1f0c is answered: run\.$/,
  },
  {
    ...{ screen: "firewall", tab: 3, row: "1f0c", action: "deny", body: { answer: "deny" } },
    ...{ request: answer, result: /^Question 1f0c is answered: deny\.$/ },
  },
  {
    ...{ screen: "firewall", tab: 3, row: "1f0c", action: "allow" },
    result:
      /Add api\.example\.org to allow of sandbox build\?[\s\S]*\+ {3}allow = \["example\.com", "api\.example\.org"\]/,
    offer: { question: /^Write .*main\.reeve and reload\?$/, result: /^Generation 13 runs\.$/ },
  },
  {
    ...{ screen: "weather", row: "north", action: "measure" },
    question: /^Ask the station north now\?$/,
    request: "POST /v1/weather/measure",
    body: { station: "north" },
    result: /^north: 12 degrees$/,
  },
];

interface Station {
  readonly name: string;
}
const STATIONS: readonly Station[] = [{ name: "north" }, { name: "south" }];

/** As a third-party plugin brings it. */
const weather: Screen = {
  ...{ id: "weather", title: "Weather", short: "Wthr", about: "stations of the weather" },
  keys: [{ keys: ["m"], action: "measure", does: "ask the chosen station", changes: true }],
  top: () => [],
  list: ({ state, theme }) =>
    tableList(
      {
        rows: STATIONS,
        columns: [{ title: "STATION", cell: ({ name }) => name }],
        id: ({ name }) => name,
        text: ({ name }) => name,
        theme,
      },
      state,
    ),
  listTitle: () => "Stations",
  empty: () => "There are no stations.",
  propose: (_, id) =>
    id === undefined
      ? undefined
      : {
          question: `Ask the station ${id} now?`,
          effect: { kind: "screen", action: "measure", target: id },
        },
  async perform(control, _, station) {
    const { degrees } = await control.post<{ readonly degrees: number }>("/measure", { station });
    return { kind: "notice", text: `${station}: ${degrees} degrees`, bad: false };
  },
};

export const screens: Screens = [...ownScreens, weather];

const NO_CHANGE = {
  ...{ changes: [], needsRestart: [] },
  summary: { unchanged: 1, updated: 0, replaced: 0, added: 0, removed: 0 },
};
const loaded = (number: number) => ({
  generation: { ...generation, number },
  diagnostics: [],
  sources: {},
});
const quarantined = { ...plugin, id: "firewall", title: "Firewall", state: "quarantined" } as const;
const running = { ...runSummary, id: "r-0003", state: "running", finishedAt: undefined } as const;
const question = {
  ...{ id: "1f0c", since: NOW, sandbox: "build", domain: "api.example.org", program: "curl" },
};

/** Answers for all of them; the configuration is a real one. */
export function actionAnswers(t: ExecutionContext): Answers {
  const root = join(
    folder(t, { "main.reeve": 'sandbox "build" {\n  allow = ["example.com"]\n}\n' }),
    "main.reeve",
  );
  const own = { ...status, root, plugins: [plugin, quarantined] };
  const runs = [running, runSummary];
  return {
    "GET /v1/status": () => own,
    "GET /v1/runs": () => ({ runs }),
    "GET /v1/events": async function* () {
      yield { ...snapshot, status: own, runs };
      await new Promise(() => undefined);
    },
    "GET /v1/panels": () => ({
      plugins: [
        {
          plugin: "firewall",
          panels: [
            {
              ...{ kind: "table", id: "questions", title: "Questions" },
              columns: [
                { id: "sandbox", title: "Sandbox" },
                { id: "domain", title: "Domain" },
              ],
              rows: [question],
            },
          ],
        },
      ],
    }),
    "POST /v1/plugins/:id/restart": () => plugin,
    "POST /v1/plugins/:id/release": () => ({ ...quarantined, state: "running" }),
    "POST /v1/plan": () => ({ plan: NO_CHANGE, diagnostics: [], sources: {} }),
    "POST /v1/reload": () => loaded(13),
    "POST /v1/rollback": () => loaded(14),
    "POST /v1/hooks/replay": () => ({ outcome: "accepted", hook: "deploy", run: "r-0009" }),
    "POST /v1/hooks/cancel": () => ({}),
    "POST /v1/firewall/questions/:id": () => ({}),
    "POST /v1/weather/measure": () => ({ degrees: 12 }),
  };
}
