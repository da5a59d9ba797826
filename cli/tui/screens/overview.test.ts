/** The overview at every size. */
import test from "ava";
import { NOW } from "../../testing/samples.js";
import type { Model } from "../model/model.js";
import { model } from "../testing/model.js";
import { screens } from "../testing/screens.js";
import { firstUi } from "../ui/ui.js";
import { frame } from "../view/frame.js";
import { plainTheme } from "../view/theme.js";

/** As it is read, without spaces at the ends of lines. */
function seen(width: number, height: number, of: Model = model): string {
  const ui = firstUi("overview", false);
  const lines = frame({ model: of, ui, theme: plainTheme, screens }, { width, height });
  return lines.map((line) => line.trimEnd()).join("\n");
}

test("the overview has the verdict on top, then what runs and comes next, and what happened", (t) => {
  t.is(
    seen(80, 22),
    `reeve 0.1.0  ● running  ✗ 1 failing · ▲ 1 to look at     gen 12  up 3d  pid 4711
[1 Overview] 2 Hooks 3 Updates 4 Firewall 5 Settings 6 Plugins 7 Config 8 Logs
✗ weather is quarantined: The station does not answer (release it on screen 6)
▲ 2 runs failed in 5 minutes, the latest of hook.deploy
✓ all else is well: 2 plugins, 6 blocks
Running                       1 running  Next
● deploy                          1m 4s  Nothing is planned.
Last hour                                                     a cell is a minute
build        ··························································▃·      1
deploy       ··························································✗·      2
sandbox.tes… ··························································✗·      1
Last events                                                                    3
  TIME      FROM      WHAT HAPPENED
▌ 14:00:43  hooks     ✗ deploy failed
  14:00:42  hooks     ● hook.build runs
  14:00:41  hooks     ◆ generation 12 runs





Enter open  / filter  s sort  Space pause  : go  ? help  q quit`,
  );
});

test("from 140 columns on it has panels beside each other, with charts", (t) => {
  t.is(
    seen(140, 30),
    `reeve 0.1.0  ● running  ✗ 1 failing · ▲ 1 to look at                                                                 gen 12  up 3d  pid 4711
[1 Overview] 2 Hooks  3 Updates  4 Firewall  5 Settings  6 Plugins  7 Config  8 Logs
╭─ Is all well? ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╮
│ ✗ weather is quarantined: The station does not answer (release it on screen 6)                                                           │
│ ▲ 2 runs failed in 5 minutes, the latest of hook.deploy                                                                                  │
│ ✓ all else is well: 2 plugins, 6 blocks                                                  generation 12, 2m ago; 88 MiB, loop late by 0ms │
╰──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Running ────────────────────── 1 running ─╮╭─ Failed ────────────────────────── 2 kept ─╮╭─ Next ───────────────────────────────────────╮
│ ● deploy                             1m 4s ││ 14:01 ✗ deploy  exit 2 after 3.4s          ││ Nothing is planned.                          │
│                                            ││ 14:01 ✗ sandbox.tests  exit 2 after 3.4s   ││                                              │
╰────────────────────────────────────────────╯╰────────────────────────────────────────────╯╰──────────────────────────────────────────────╯
╭─ Last hour ───────────────────────────────────────────────── a cell is a minute ─╮╭─ Events ───────────────────────────── 0.7/s, most 4 ─╮
│ build        ··························································▃·      1 ││   5/s┤                                            ⢀  │
│ deploy       ··························································✗·      2 ││      │                                            ⢸  │
│ sandbox.tes… ··························································✗·      1 ││ 2.5/s┤                                            ⣼  │
│              13:02                      13:32                      14:02         ││      │                                           ⢰⣿  │
│                                                                                  ││     0└───────────┴──────────┴──────────┴──────────┴  │
│                                                                                  ││       4s ago                                    now  │
╰──────────────────────────────────────────────────────────────────────────────────╯╰──────────────────────────────────────────────────────╯
┏━ Last events ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1 of 3 ━┓
┃  TIME      FROM      WHAT HAPPENED                                                                                                       ┃
┃▌ 14:00:43  hooks     ✗ deploy failed                                                                                                     ┃
┃  14:00:42  hooks     ● hook.build runs                                                                                                   ┃
┃  14:00:41  hooks     ◆ generation 12 runs                                                                                                ┃
┃                                                                                                                                          ┃
┃                                                                                                                                          ┃
┃                                                                                                                                          ┃
┃                                                                                                                                          ┃
┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
Enter open  / filter  s sort  Space pause  : go  ? help  q quit`,
  );
});

test("from 200 columns on it has three columns, and the chosen event from close", (t) => {
  const wide = seen(200, 50);
  t.regex(wide, /╭─ Is all well\? ─+╮╭─ Last hour .*╮┏━ Last events ━+ 3 ━┓/);
  for (const title of ["Running", "Failed", "Next", "Plugins", "Events", "Runs", "Wind"])
    t.regex(wide, new RegExp(`╭─ ${title} `));
  t.regex(wide, /╭─ hooks hook\.finished ─/);
  t.regex(wide, /▮ gusts {2}▮ mean ─╮/);
});

test("what plugins plan is listed, the next first", (t) => {
  const panels: Model["panels"] = [
    {
      plugin: "hooks",
      panels: [
        {
          kind: "table",
          id: "schedules",
          title: "Schedules",
          columns: [
            { id: "schedule", title: "Schedule" },
            { id: "next", title: "Next", format: "time" },
          ],
          rows: [
            { schedule: "report", next: NOW + 3_600_000 },
            { schedule: "backup", next: NOW + 180_000 },
            { schedule: "over", next: NOW - 1 },
            { schedule: "never", next: null },
          ],
        },
      ],
    },
  ];
  const text = seen(140, 30, { ...model, panels });
  t.regex(text, /╭─ Next ─[\s\S]*backup schedule +in 3m │[\s\S]*report schedule +in 1h │/);
  t.notRegex(text, /over schedule|never/);
});

test("where there are few lines the verdict stays, and what runs", (t) => {
  const small = seen(60, 15);
  t.regex(small, /✗ weather is quarantined.*\n▲ 2 runs/);
  t.regex(small, /Running +1 running\n● deploy[\s\S]*deploy failed/);
  t.notRegex(small, /Next|Last hour/);
});
