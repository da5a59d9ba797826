// Writes docs/dashboard.md: what the dashboard shows of `reeve demo`, screen by screen, as text. Needs tmux and a build.
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

/** Title, what is said of it, the keys that lead there from the screen before, and what must be seen. */
const shots = [
  [
    "Overview",
    "Alerts on top, then the daemon, a row a plugin, and what happened last.",
    ["1"],
    /hook\.finished/,
  ],
  ["Hooks", "How each hook does, and the latest runs of the chosen one.", ["2"], /report/],
  ["Runs of hooks", "`t` shows what ran. Enter on a hook shows only its runs.", ["t"], /succeeded/],
  [
    "A run",
    "Its request, the decision with the values that were looked at, how it went, what it said, live while it runs. `r` sends the request once more, `x` ends the run; both ask first.",
    ["/", "deploy", "Enter", "Enter"],
    /request/,
  ],
  [
    "Updates",
    "What is looked after, pull requests, jobs, and what happened last. `t` leads to the lists below.",
    ["Escape", "3"],
    /Bump left-foo/,
  ],
  [
    "Repositories",
    "Every project of every repository: what manages it, when it is looked at next and was last, what is open.",
    ["t"],
    /acme\/site +npm/,
  ],
  [
    "Jobs of updates",
    "Stage and progress while a job runs, and its log with what it says of every dependency.",
    ["t"],
    /Log/,
  ],
  ["Pull requests", "Their checks, and what a merge waits for.", ["t"], /left-foo from/],
  [
    "Firewall",
    "What fenced commands reach a second, the commands that run, domains, and what was denied by which rule.",
    ["4"],
    /Sandboxes/,
  ],
  [
    "What was denied",
    "Who asked for what, and the rule that denied it. `a` proposes to allow the chosen domain.",
    ["t"],
    /tracker/,
  ],
  [
    "Allowing it",
    "The edit and its plan. It is written, and taken over, only after `y`; a block that is made by a loop or a mixin is left to you.",
    ["a"],
    /y: yes/,
  ],
  ["Settings", "Panels of the plugin, and what it did last.", ["Escape", "5"], /zls/],
  ["Settings files", "`t` shows every watched file and whether it is good.", ["t"], /zls\.json/],
  [
    "A settings file",
    "What is wrong in it, under a caret; the servers that are told; what changed last.",
    ["Enter"],
    /Last change/,
  ],
  [
    "Plugins",
    "State, health, isolation. `R` starts one afresh, `U` releases one from quarantine; both ask first.",
    ["Escape", "6"],
    /inline/,
  ],
  [
    "A plugin",
    "Enter shows its life, what it may do, and the panels of any plugin, known or not.",
    ["Enter"],
    /Permissions/,
  ],
  [
    "Config",
    "What runs and what is on disk, with errors under carets. `p` plans, `r` reloads, `b` rolls back.",
    ["Escape", "7"],
    /committed|probation/,
  ],
  [
    "Logs",
    "Events and the log of the daemon and its plugins. `/` filters, Space holds everything still.",
    ["8"],
    /hook\./,
  ],
  ["Keys", "`?` on every screen. `:` does everything by name.", ["?"], /move down/],
];

const intro = `# The dashboard

\`reeve top\` shows the running daemon and goes on showing it; \`reeve demo\` opens it on a throwaway daemon that is busy. Screens have numbers, \`?\` lists the
keys of the one that is open. Whatever changes something asks first, and \`--read-only\` takes those keys away. A daemon that ends is waited for: what was known
stays, greyed, with its age. The row that is chosen is shown from close below its list where there is room.

Colours never stand alone: every state has a word and a sign. \`NO_COLOR\`, \`--theme high-contrast\`, \`--theme mono\` and \`--ascii\` change how it looks.
Without a terminal, \`--once\` prints the screens as text, \`--json\` all of their data as one document, \`--watch\` such documents, one a line.

\`reeve demo\` touches nothing of the host: its directory, its daemon and the one port that it opens on 127.0.0.1, for a registry of packages, are gone when it ends.

The pictures below are made by \`node scripts/dashboard-page.mjs\`.
`;

try {
  const command = `'${process.execPath}' '${join(root, "dist/cli/reeve.js")}' demo`;
  tmux("new-session", "-d", "-x", "100", "-y", "24", "sh", "-c", command);
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
