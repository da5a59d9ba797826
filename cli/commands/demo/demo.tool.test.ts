/** `reeve demo`: everything moves, and nothing stays. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import test, { type ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import { REEVE } from "../../../tests/support/commands.js";
import { eventually, within } from "../../../tests/support/eventually.js";
import { needs, program } from "../../../tests/support/needs.js";
import { connect } from "../../control/client.js";
import { reeve } from "../../testing/reeve.js";
import { fetchOnce } from "../../tui/plain/document.js";
import { loadScreens } from "../../tui/screens/load.js";
import type { updates as sample } from "../../tui/testing/model.js";
import { terminal } from "../../tui/testing/tmux.js";

const withTmux = needs(test, program("tmux"));

/** The demonstration without a terminal, and the socket it speaks of. */
async function headless(t: ExecutionContext) {
  t.timeout(120_000);
  const demo = child(t, process.execPath, [REEVE, "demo", "--headless"]);
  // It removes its daemon and its directory by itself.
  t.teardown(async () => {
    demo.kill("SIGTERM");
    await within("the end of the demonstration", demo.ended);
  });
  const [, socket = ""] = await demo.says(/^reeve top --control (.*)\n/);
  return { demo, socket, control: connect({ control: socket }) };
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("hooks are called, refused and fail, settings and the configuration change", async (t) => {
  const { control, demo, socket } = await headless(t);
  const missing = new Set([
    "hook.finished",
    "hook.rejected",
    "settings.changed",
    "sandbox.denied",
    "update.opened",
    "config.reloaded",
  ]);
  let edits = 0;
  for await (const line of control.events({ since: 0 })) {
    if (line.line !== "event") continue;
    missing.delete(line.type);
    if (line.type === "config.reloaded") edits += 1;
    if (missing.size === 0 && edits > 1) break;
  }
  const { pid } = await control.status();
  t.true(alive(pid));
  const { data, logs } = await fetchOnce(control, await loadScreens());
  const { updates, settings } = data as {
    readonly updates: Omit<typeof sample, "jobs"> & {
      readonly jobs: ReadonlyArray<{
        readonly config: number;
        readonly log?: ReadonlyArray<{ readonly text: string }>;
      }>;
    };
    readonly settings: readonly object[];
  };
  t.like(updates.configs[0], { repo: "acme/site", "package-manager": "npm_and_yarn" });
  t.is(updates.jobs[0]?.config, updates.configs[0]?.id);
  t.true(updates.jobs.some(({ log = [] }) => log.some(({ text }) => /versions, 1 in/.test(text))));
  t.like(updates.pulls.at(-1), { number: 1, repo: "acme/site" });
  t.true(logs.some(({ message }) => message.startsWith("Generation 1 runs")));
  t.like(settings[0], { name: "zls" });
  demo.kill("SIGTERM");
  t.is(await demo.ended, 0);
  t.false(existsSync(dirname(socket)), "its directory is gone");
  t.false(alive(pid), "its daemon is gone");
});

test("a signal that comes again and again ends it no sooner than everything is gone", async (t) => {
  const { control, demo, socket } = await headless(t);
  const { pid } = await control.status();
  const again = () => {
    demo.kill("SIGHUP");
    return !demo.isAlive;
  };
  await eventually("its end", again, { every: 20 });
  t.false(existsSync(dirname(socket)), "its directory is gone");
  t.false(alive(pid), "its daemon is gone");
});

withTmux("on a terminal it is the dashboard; with `q` everything is gone", async (t) => {
  const demo = await terminal(t, ["demo", "hooks"]);
  await demo.until(/\[2 Hooks\][\s\S]*build +[1-9]/);
  const [, pid = ""] = /pid (\d+)/.exec(await demo.screen()) ?? [];
  await demo.press("q");
  await demo.until(/BEFORE\nAFTER 0/);
  t.false(alive(Number(pid)));
});

test("without a terminal it says what to use instead, before it starts anything", async (t) => {
  const { code, stderr } = await reeve(["demo"]);
  t.is(code, 64);
  t.regex(stderr, /needs a terminal[\s\S]*--headless/);
});
