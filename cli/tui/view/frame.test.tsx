/** What is on the screen, at every size. */
import { stripVTControlCharacters } from "node:util";
import test from "ava";
import { renderToString } from "ink";
import stringWidth from "string-width";
import type { ScreenId } from "../../plugin-api/screen.js";
import { NOW } from "../../testing/samples.js";
import { TerminalLines } from "../app.js";
import { emptyModel, type Model } from "../model/model.js";
import { model } from "../testing/model.js";
import { screens } from "../testing/screens.js";
import { firstUi, type Ui, withState } from "../ui/ui.js";
import { frame } from "./frame.js";
import { createTheme, plainTheme } from "./theme.js";
import { THEMES } from "./themes.js";

interface Wanted {
  readonly of?: Model;
  readonly ui?: Ui;
  readonly width?: number;
  readonly height?: number;
}

/** As it is read, without spaces at the ends of lines. */
function seen(screen: ScreenId, { of = model, ui, width = 99, height = 30 }: Wanted = {}): string {
  const chosen = ui ?? firstUi(screen, false);
  const lines = frame({ model: of, ui: chosen, theme: plainTheme, screens }, { width, height });
  return lines.map((line) => line.trimEnd()).join("\n");
}

const tab = (screen: ScreenId, number: number): Ui =>
  withState(firstUi(screen, false), { tab: number });
const open = (screen: ScreenId, id: string): Ui => withState(firstUi(screen, false), { open: id });
const uis: ReadonlyArray<readonly [string, Ui]> = [
  ...screens.map(({ id }): [string, Ui] => [id, firstUi(id, false)]),
  ["a run", withState(open("hooks", "r-0001"), { tab: 1 })],
  ["a plugin", open("plugins", "weather")],
  ["a generation", open("config", "12")],
  ["help", { ...firstUi("config", false), mode: { kind: "help", scroll: 0 } }],
  ["the palette", { ...firstUi("config", false), mode: { kind: "palette", text: "", chosen: 2 } }],
];
const [night] = THEMES;
if (night === undefined) throw new Error("There is no theme.");
const colourful = createTheme(night, { depth: 24, unicode: true });

for (const [name, ui] of uis) {
  for (const width of [60, 80, 120, 200]) {
    test(`${name} fills a terminal of ${width} columns exactly`, (t) => {
      for (const height of [15, 24, 50]) {
        const lines = frame({ model, ui, theme: colourful, screens }, { width, height });
        t.is(lines.length, height);
        t.deepEqual([...new Set(lines.map((line) => stringWidth(line)))], [width]);
        const drawn = renderToString(<TerminalLines lines={lines} />, { columns: width });
        t.is(drawn.split("\n").length, height);
      }
    });
  }
}

test("every screen and size is drawn also while nothing is known", (t) => {
  for (const [, ui] of uis) {
    for (const size of [
      { width: 60, height: 15 },
      { width: 10, height: 3 },
      { width: 250, height: 80 },
    ]) {
      t.is(frame({ model: emptyModel, ui, theme: colourful, screens }, size).length, size.height);
    }
  }
});

const contents: ReadonlyArray<readonly [string, string, readonly RegExp[]]> = [
  ["hooks", seen("hooks"), [/deploy +30 +3\.4s +10 +2 +failed +██████░░ 75 %/, /build +4 .*100 %/]],
  [
    "runs of hooks",
    seen("hooks", { ui: withState(firstUi("hooks", false), { tab: 1 }) }),
    [/running +hook\.deploy/, /succeeded +hook\.build/],
  ],
  [
    "a run",
    seen("hooks", { ui: uis[8]?.[1] ?? firstUi("hooks", false) }),
    [/hook\.deploy +✗ failed +r-0001/, /request +POST \/hooks\/deploy/, /no such branch/],
  ],
  ["plugins", seen("plugins"), [/weather +quarantined +failed/]],
  [
    "an unknown plugin",
    seen("plugins", { ui: open("plugins", "weather"), height: 50 }),
    [
      /sky +clear/,
      /sensor +✗ failed/,
      /memory +2 KiB/,
      /gusts: 8, at most 8 in 4s/,
      /⢸|⣿|⣾|⣸/,
      /north/,
      /and 3 more/,
      /warn +rain/,
    ],
  ],
  [
    "the configuration",
    seen("config"),
    [/13 +rejected/, /tiemout = 3s/, /\^{7}|───────|~{7}/, /There is no `tiemout` here/],
  ],
  [
    "a generation",
    seen("config", { ui: open("config", "12") }),
    [/Generation 12 +✓ committed/, /~ hook\.deploy/, /timeout: 1m -> 2m/],
  ],
  [
    "logs",
    seen("logs"),
    [
      /▌.*weather +✗ The station does not answer\. attempt=3/,
      /weather +▲ rain is coming/,
      /hooks +● hook\.build runs/,
    ],
  ],
  [
    "events with their data",
    seen("logs", { ui: withState(firstUi("logs", false), { raw: true }) }),
    [/weather +error +The station/, /hooks +hook\.finished +hook=deploy state=failed/],
  ],
  [
    "what no plugin looks after",
    seen("firewall"),
    [/The firewall plugin does not run\. Add a `sandbox` block/],
  ],
  [
    "runs of the firewall",
    seen("firewall", { ui: withState(firstUi("firewall", false), { tab: 2 }) }),
    [/sandbox\.tests/],
  ],
  [
    "the latest runs of the chosen hook, below the hooks",
    seen("hooks"),
    [/Latest runs of deploy\n +STATE.*\n +running[^\n]*\n +failed/],
  ],
  [
    "repositories that are kept up to date, and when they are looked at",
    seen("updates", { ui: tab("updates", 1) }),
    [/acme\/site +npm_and_yarn +\/ +daily +in 3h +2m ago +1/, /acme\/docs.*Nothing is conf/],
  ],
  [
    "jobs of updates with their stage and their log",
    seen("updates", { ui: tab("updates", 2) }),
    [
      /running +acme\/site +5s ago +5s… +████░░░░ looking up versions 32 of 64/,
      /succeeded +acme\/site .*2 looked at, 1 offered/,
      /Job 9 of acme\/site +● running[\s\S]*looking up versions, 64 in all/,
    ],
  ],
  [
    "what a job said of every dependency",
    seen("updates", { ui: { ...withState(tab("updates", 2), { open: "8" }) } }),
    [
      /● left-foo 1\.0\.0 → 1\.1\.0 +pull request #4/,
      /✗ right-foo 2\.0\.0 +The registry did not answer\./,
    ],
  ],
  [
    "pull requests with what they wait for",
    seen("updates", { ui: tab("updates", 3), width: 120 }),
    [/4 +open +1m ago +pending +acme\/site +▲ security: Bump left-foo.* +a minor update/],
  ],
  [
    "what a state leads to, with the state in brackets",
    seen("plugins", { ui: open("plugins", "weather") }),
    [/starting → running → stopping → stopped/, /backoff → \[quarantined\]/],
  ],
];
for (const [name, text, patterns] of contents) {
  test(`${name}: what there is to see`, (t) => {
    for (const pattern of patterns) t.regex(text, pattern);
  });
}

test("a daemon that is lost is said to be, with how old everything is", (t) => {
  const lost: Model = {
    ...model,
    link: { state: "lost", since: NOW - 12_000, reason: "it went away" },
  };
  t.regex(
    seen("overview", { of: lost }),
    /✗ Lost the daemon; trying again\. What is shown is 12s old\. \(it went away\)/,
  );
  const wordy: Model = {
    ...model,
    link: {
      state: "lost",
      since: NOW - 12_000,
      reason: `the connection to the daemon at /tmp/${"deep/".repeat(30)}c.sock broke`,
    },
  };
  t.regex(
    seen("overview", { of: wordy, width: 60 }),
    /trying again\. What is shown is 12s old/,
    "a long reason does not push it out of a narrow terminal",
  );
  const lines = frame(
    { model: lost, ui: firstUi("overview", false), theme: colourful, screens },
    { width: 80, height: 20 },
  );
  t.true(
    lines
      .slice(3, -1)
      .filter((line) => stripVTControlCharacters(line).trim() !== "")
      .every((line) => line.includes(colourful.paint("dim", "x").replace(/x.*/, ""))),
    "greyed",
  );
});

test("what is asked is cut, and never the keys that answer it", (t) => {
  const question = `Write ${"/a/long/path".repeat(20)}?`;
  const mode = { kind: "confirm", question, effect: { kind: "reload" } } as const;
  const narrow = seen("config", { ui: { ...firstUi("config", false), mode }, width: 60 });
  t.regex(narrow, /Write .*… y: yes, any other key: no$/);
});

test("columns stay where they are while their words change", (t) => {
  const [run] = model.runs;
  const at = (startedAt: number, state: "running" | "succeeded") => {
    const runs = run ? [{ ...run, startedAt, state, finishedAt: undefined }] : [];
    const text = seen("hooks", { of: { ...model, runs }, ui: tab("hooks", 1) });
    return text.split("\n").find((line) => line.includes("STATE"));
  };
  t.is(at(NOW, "running"), at(NOW - 3_599_000, "succeeded"));
});

test("two charts stand beside each other where there is room, below each other where there is not", (t) => {
  const ui = open("plugins", "weather");
  t.regex(seen("plugins", { ui, width: 120, height: 45 }), /gusts: 8.*mean: 2/);
  t.notRegex(seen("plugins", { ui, width: 80, height: 45 }), /gusts: 8.*mean: 2/);
});

test("a narrow terminal loses columns, not rows; one that is too small says so", (t) => {
  const narrow = seen("hooks", { width: 60, height: 15 });
  t.regex(narrow, /deploy +30/);
  t.notRegex(narrow, /ALLOWED/);
  t.regex(narrow, /\[2 Hook\]/);
  t.regex(seen("hooks", { width: 30, height: 5 }), /Too small: 30x5/);
});

test("a wide terminal has the list in a panel with its place in it, and the details beside it", (t) => {
  const wide = seen("plugins", { width: 160, height: 30 });
  t.regex(wide, /┏━ Plugins ━+ 1 of \d+ ━┓╭─ Hooks {2}● running/);
  t.regex(wide, /┃▌ hooks +running.*┃│/);
  t.regex(wide, /┗━+┛╰─+╯\n/);
  const middle = seen("plugins", { width: 120, height: 40 });
  t.regex(middle, /┏━ Plugins ━+ 1 of \d+ ━┓\n[\s\S]*┗━+┛\n╭─ Hooks {2}● running/);
  t.notRegex(seen("plugins", { width: 99, height: 40 }), /[┏╭]/);
  const filtered = withState(firstUi("plugins", false), { filter: "weather" });
  t.regex(seen("plugins", { ui: filtered, width: 120 }), /━ 1 of \d+ with "weather" ━┓/);
});

test("without Unicode every character is ASCII", (t) => {
  for (const [, ui] of uis) {
    const lines = frame(
      { model, ui, theme: { ...plainTheme, unicode: false }, screens },
      { width: 100, height: 40 },
    );
    t.regex(lines.join("\n"), /^[\n -~]*$/);
  }
});

test("nothing that comes from elsewhere moves the cursor", (t) => {
  const nasty = "x\u001b[2J\r\n\u0007y";
  const bad: Model = {
    ...model,
    events: model.events.map((event) => ({ ...event, type: nasty, data: { [nasty]: nasty } })),
    runs: model.runs.map((run) => ({ ...run, subject: nasty, trigger: nasty, reason: nasty })),
    panels: model.panels.map(({ plugin, panels }) => ({
      plugin,
      panels: panels.map((panel) => ({ ...panel, title: nasty })),
    })),
    link: { state: "lost", since: NOW, reason: nasty },
  };
  for (const [, ui] of uis) {
    const lines = frame({ model: bad, ui, theme: plainTheme, screens }, { width: 100, height: 40 });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    t.notRegex(lines.join(""), /[\u0000-\u001f\u007f]/);
  }
});
