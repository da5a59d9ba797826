import test from "ava";
import type { Panel } from "../../daemon/http/control/api.js";
import { Channel } from "../plugin-api/output.js";
import { cellText, showPanel, sparkline } from "../print/panels.js";
import { runAgainst } from "../testing/commands.js";
import { NOW } from "../testing/samples.js";

function shown(panel: Panel, columns?: number): string {
  const lines: string[] = [];
  const stream = {
    isTTY: columns !== undefined,
    columns,
    write: (text: string) => lines.push(text),
  };
  showPanel(new Channel(stream, { NO_COLOR: "1" }), panel, NOW);
  return lines.join("");
}

const table: Panel = {
  kind: "table",
  id: "hooks",
  title: "Hooks",
  columns: [
    { id: "name", title: "Hook" },
    { id: "state", title: "State", format: "state" },
    { id: "p95", title: "p95", format: "duration", priority: 1 },
    { id: "sent", title: "Sent", format: "size", priority: 2 },
  ],
  rows: [
    { name: "deploy", state: "timed_out", p95: 3400, sent: 2048 },
    { name: "build\u001b[2J", state: "succeeded", p95: null, sent: 0 },
  ],
  omitted: 4,
};

test("a table has the columns that its plugin describes", (t) => {
  t.is(
    shown(table),
    `Hooks
  HOOK    STATE       P95   SENT
  deploy  timed out  3.4s  2 KiB
  build   succeeded     -    0 B
  and 4 more
`,
  );
});

test("columns of low priority go first when the screen is narrow", (t) => {
  t.regex(shown(table, 24), /^Hooks\n {2}HOOK {4}STATE\n/);
});

test("values, series and log lines have a form each", (t) => {
  t.is(
    shown({
      kind: "values",
      id: "v",
      title: "Now",
      entries: [
        { name: "queue", value: 3 },
        { name: "hit rate", value: 0.5, format: "ratio" },
        { name: "since", value: NOW - 60_000, format: "time" },
      ],
    }),
    "Now\n  queue     3\n  hit rate  50 %\n  since     1m ago\n",
  );
  t.is(
    shown({
      kind: "series",
      id: "s",
      title: "Requests",
      interval: 1000,
      series: [{ name: "ok", points: [0, 1, 2, 7] }],
    }),
    "Requests\n  ok  ▁▂▃█ 7 (at most 7 in 4s)\n",
  );
  t.is(
    shown({
      kind: "log",
      id: "l",
      title: "Log",
      lines: [{ at: NOW, level: "info", text: "one\ntwo" }],
    }),
    "Log\n  14:02:11 info  one\n    two\n",
  );
});

test("a value that its column's format does not fit is shown as it is", (t) => {
  t.is(cellText("soon", "duration", NOW), "soon");
  t.is(cellText(true, "number", NOW), "true");
  t.is(cellText(1 / 3, "number", NOW), "0.3333");
});

test("a flat line is flat, and nothing is nothing", (t) => {
  t.is(sparkline([0, 0]), "▁▁");
  t.is(sparkline([]), "");
  t.is(sparkline([5, -1]), "█▁");
});

const answers = {
  "GET /v1/panels": () => ({
    plugins: [
      { plugin: "hooks", panels: [table] },
      { plugin: "updates", panels: [{ ...table, title: "Updates" }] },
    ],
  }),
};

test("all plugins' panels are shown, or those of one", async (t) => {
  const all = await runAgainst(t, ["panels"], answers);
  t.regex(all.stdout, /^Hooks\n[\s\S]*\n\nUpdates\n/);
  const one = await runAgainst(t, ["panels", "updates"], answers);
  t.regex(one.stdout, /^Updates\n/);
  const data = await runAgainst(t, ["panels", "hooks", "--json"], answers);
  t.deepEqual(JSON.parse(data.stdout), { plugins: [{ plugin: "hooks", panels: [table] }] });
});

test("a plugin that shows nothing is named, with those that do", async (t) => {
  const { code, stderr } = await runAgainst(t, ["panels", "x"], answers);
  t.is(code, 1);
  t.is(stderr, "reeve: no plugin `x` shows anything\nPanels are shown by: hooks, updates.\n");
});
