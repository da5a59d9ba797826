// Writes docs/dashboard.md: the dashboard of `reeve demo`, screen by screen, as text. Needs tmux and a build.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const directory = mkdtempSync(join(tmpdir(), "reeve-page-"));
const environment = { ...process.env, LANG: "C.UTF-8", NO_COLOR: "1" };
const tmux = (...words) =>
  execFileSync("tmux", ["-S", join(directory, "s"), "-f", "/dev/null", ...words], {
    encoding: "utf8",
    env: environment,
  });

/** Title, description, the keys from the previous screen, and a text that must appear. */
const shots = [
  [
    "Overview",
    "Whether all is well, what runs, what failed, what comes next, the last hour of each block, and the latest events. From 140 columns on with charts, from 200 on in three columns.",
    ["1"],
    /(succeeded|failed) in/,
  ],
  ["Hooks", "Statistics of each hook and the latest runs of the selected one.", ["2"], /report/],
  ["Runs of hooks", "`t` lists all runs. Enter on a hook lists its runs.", ["t"], /succeeded/],
  [
    "A run",
    "Request, decision with its values, result and output, live during the run. `r` replays the request, `x` cancels the run; both ask for confirmation.",
    ["/", "deploy", "Enter", "Enter"],
    /request/,
  ],
  [
    "Updates",
    "Repositories, pull requests, runs and the latest events. `t` switches to the lists below.",
    ["Escape", "3"],
    /Bump left-foo/,
  ],
  [
    "Repositories",
    "Every project of every repository: manager, next and last check, open pull requests.",
    ["t"],
    /acme\/site +npm/,
  ],
  [
    "Jobs of updates",
    "Stage and progress of a running job, and its log with the decision for each dependency.",
    ["t"],
    /Log/,
  ],
  ["Pull requests", "Their checks and the reason why a merge waits.", ["t"], /left-foo from/],
  [
    "Firewall",
    "Requests per second, running commands, domains, and denials with their rules.",
    ["4"],
    /Sandboxes/,
  ],
  [
    "Denied requests",
    "Command, domain and the denying rule. `a` proposes to allow the selected domain.",
    ["t"],
    /tracker/,
  ],
  [
    "Allow a domain",
    "The edit and its plan. `y` writes and applies it; a block from a loop or a mixin needs a manual edit.",
    ["a"],
    /y: yes/,
  ],
  ["Settings", "The plugin's panels and latest events.", ["Escape", "5"], /zls/],
  ["Settings files", "`t` lists every watched file with its state.", ["t"], /zls\.json/],
  [
    "A settings file",
    "Faults with carets, connected servers, and the last change.",
    ["Enter"],
    /Last change/,
  ],
  [
    "Plugins",
    "State, health, isolation. `R` restarts a plugin, `U` releases it from quarantine; both ask for confirmation.",
    ["Escape", "6"],
    /inline/,
  ],
  ["A plugin", "Enter shows lifecycle, permissions and panels.", ["Enter"], /Permissions/],
  [
    "Config",
    "The running configuration and the files, with diagnostics. `p` plans, `r` reloads, `b` rolls back.",
    ["Escape", "7"],
    /committed|probation/,
  ],
  [
    "Logs",
    "Events and logs of the daemon and its plugins. `/` filters, Space pauses.",
    ["8"],
    /triggered by/,
  ],
  ["Keys", "`?` on every screen. `:` opens the command palette.", ["?"], /move down/],
];

const intro = `# The dashboard

\`reeve top\` shows the running daemon live; \`reeve demo\` opens it on a temporary daemon with traffic. Screens have numbers; \`?\` lists the
keys of the current one. Actions ask for confirmation; \`--read-only\` disables them. If the daemon stops, the dashboard waits for it and shows the last data
dimmed, with its age. The title says whether all is well. Details of the selected row appear below the list if there is room; from 140 columns on they are beside it, with the output of a run,
and from 200 on in a third column. Opening a row moves the focus there; the title of the panel says where one is, such as \`Hooks › Runs › hook.build …c2ab\`.
\`/\` filters the list; a second \`/\` right after it, or Ctrl-K, finds blocks, runs, events, plugins, generations, screens and actions by their name, fuzzily, or by other text of their row. Enter opens
the best match. Of long lists the first 5,000 rows are searched. The mouse presses names, rows, titles of columns and hints; a double press opens a row, the wheel scrolls. Text is selected with Shift held down, or after \`--no-mouse\`. Events are sentences; \`v\` shows their data. \`y\` copies the selected row, or what is open, to the clipboard of the terminal (OSC 52). Of a delivery it copies a \`curl\` command that sends the stored request again; secrets are not in it. \`e\` opens the block of a hook, schedule, watch, task or run in \`$VISUAL\` or \`$EDITOR\`, then reloads.

Every state has a word and a symbol besides its color. The colors are those of a theme: \`night\`, \`day\`, \`contrast\`, \`clear\` (for color-blind eyes), \`ember\` or \`mono\`.
The default, \`--theme auto\`, selects \`day\` or \`night\` by the background of the terminal; \`T\` shows the next theme. A terminal with 256 or 16 colors shows the nearest
ones. \`--no-background\` keeps the terminal's background; \`NO_COLOR\` and \`--ascii\` remove all colors and all other characters.

\`--theme NAME\` also reads \`$XDG_CONFIG_HOME/reeve/themes/NAME.json\`, JSON5 such as \`{ base: "night", roles: { accent: "7ab7ff" } }\`.
The roles are \`text\`, \`dim\`, \`accent\`, \`ok\`, \`running\`, \`queued\`, \`warn\`, \`fail\`, \`denied\`, \`selected\`, \`rule\`, \`s1\` to \`s6\` and \`background\`.

\`--plain\` is for screen readers: it prints events as sentences, one a line, without colors, boxes and cursor movement, and reads commands such as \`hooks\`, \`open 2\`, \`replay 1\` and \`find deploy\`; \`help\` lists them.
\`INK_SCREEN_READER=true\` selects it.

Without a terminal, \`--once\` prints the screens as text, \`--json\` all data as one document, \`--watch\` one document per line.

\`reeve demo\` leaves nothing behind: its directory, its daemon and its package registry on a port of 127.0.0.1 are gone when it ends.

\`node scripts/dashboard-page.mjs\` generates this page.
`;

try {
  const command = `'${process.execPath}' '${join(root, "dist/cli/reeve.js")}' demo`;
  tmux("new-session", "-d", "-x", "120", "-y", "32", "sh", "-c", command);
  await until(/[3-9] runs failed in/);
  const sections = [];
  for (const [title, about, keys, wanted] of shots) {
    for (const key of keys) {
      tmux("send-keys", key);
      await delay(300);
    }
    const seen = await until(wanted);
    sections.push(`## ${title}\n\n${about}\n\n\`\`\`text\n${seen.trimEnd()}\n\`\`\`\n`);
  }
  tmux("send-keys", "Escape");
  await delay(300);
  tmux("send-keys", "q");
  await delay(3000);
  writeFileSync(join(root, "docs/dashboard.md"), [intro, ...sections].join("\n"));
} finally {
  try {
    execFileSync("tmux", ["-S", join(directory, "s"), "kill-server"], { stdio: "ignore" });
  } catch {
    // It has ended with its last window.
  }
  rmSync(directory, { recursive: true, force: true });
}

async function until(wanted) {
  for (let tries = 0; tries < 300; tries += 1) {
    const seen = tmux("capture-pane", "-p");
    if (wanted.test(seen)) return seen.replace(/reeve-demo-\w+/g, "reeve-demo");
    await delay(100);
  }
  throw new Error(`${wanted} does not come:\n${tmux("capture-pane", "-p")}`);
}
