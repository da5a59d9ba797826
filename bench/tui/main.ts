/**
 * What the dashboard costs: its first frame, an idle terminal, 10,000 events a second, a list of 100,000 runs.
 * Prints one table: node dist/bench/tui/main.js
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Answers, daemonDouble } from "../../cli/testing/daemon-double.js";
import { generation, runSummary, snapshot, status } from "../../cli/testing/samples.js";
import type { Model } from "../../cli/tui/model/model.js";
import { model } from "../../cli/tui/testing/model.js";
import { press } from "../../cli/tui/ui/press.js";
import { firstUi, type Ui } from "../../cli/tui/ui/ui.js";
import { frame } from "../../cli/tui/view/frame.js";
import { plainTheme } from "../../cli/tui/view/theme.js";
import { median, print, type Row } from "../support/table.js";

const SIZE = { width: 120, height: 35 };
const STARTS = 5;
/** Seconds that are watched. */
const WATCHED = 15;
const RUNS = 100_000;
const DIST = fileURLToPath(new URL("../../cli/reeve.js", import.meta.url));
const BUNDLE = fileURLToPath(new URL("../../bundle/reeve.js", import.meta.url));
/** Of the kernel, for `/proc`. */
const TICKS = 100;

interface Watched {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly bytes: () => number;
  /** Milliseconds from its start to its first frame. */
  readonly firstFrame: number;
}

/** `reeve top` on a terminal of its own. */
async function top(program: string, socket: string): Promise<Watched> {
  const command = `stty rows ${SIZE.height} cols ${SIZE.width}; exec '${process.execPath}' '${program}' top --control '${socket}'`;
  const started = performance.now();
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, LANG: "C.UTF-8", TERM: "xterm-256color" },
  });
  let output = "";
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    output = (output + chunk.toString("utf8")).slice(-1_000_000);
  });
  while (!output.includes("Overview")) {
    if (child.exitCode !== null) throw new Error(`it ended:\n${output}`);
    await once(child.stdout, "data");
  }
  const firstFrame = performance.now() - started;
  return { child, output: () => output, bytes: () => bytes, firstFrame };
}

async function quit({ child }: Watched): Promise<void> {
  const over = once(child, "exit");
  child.stdin?.write("q");
  await over;
}

/** `script` starts the terminal's program as its only child. */
function programOf({ child }: Watched): string {
  const [pid = ""] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(
    " ",
  );
  return pid;
}

/** Seconds of processor time, and bytes of memory. */
function usage(pid: string): { readonly cpu: number; readonly rss: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS;
  return { cpu, rss: Number(fields[21]) * 4096 };
}

/** A daemon that says so many events a second, in ten lots. */
const answers = (perSecond: number): Answers => ({
  "GET /v1/status": () => ({ ...status, now: Date.now() }),
  "GET /v1/runs": () => ({ runs: [runSummary] }),
  "GET /v1/panels": () => ({ plugins: model.panels }),
  "GET /v1/generations": () => ({ generations: [generation] }),
  "GET /v1/events": async function* ({ url }) {
    yield { ...snapshot, sequence: 0 };
    if (url.searchParams.has("since")) return;
    for (let sequence = 1; ; ) {
      await delay(100);
      let lot = "";
      for (let index = 0; index < perSecond / 10; index += 1, sequence += 1) {
        const data = { hook: "deploy", run: `r-${sequence}`, state: "succeeded", duration: 12 };
        const event = {
          line: "event",
          sequence,
          at: Date.now(),
          type: "hook.finished",
          plugin: "hooks",
          data,
        };
        lot += `${JSON.stringify(event)}\n`;
      }
      if (lot !== "") yield lot;
    }
  },
});

const rows: Row[] = [];
const row = (what: string, result: string, bar: string): number => rows.push({ what, result, bar });

async function starts(): Promise<void> {
  const daemon = await daemonDouble(answers(0));
  for (const [name, program, bar] of [
    ["dist", DIST, "250 ms"],
    ["bundled", BUNDLE, "150 ms"],
  ] as const) {
    if (!existsSync(program)) continue;
    const times: number[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const watched = await top(program, daemon.socket);
      times.push(watched.firstFrame);
      await quit(watched);
    }
    row(`first frame, ${name}`, `${median(times).toFixed(0)} ms`, bar);
  }
  await daemon.close();
}

async function watched(perSecond: number): Promise<void> {
  const daemon = await daemonDouble(answers(perSecond));
  const open = await top(existsSync(BUNDLE) ? BUNDLE : DIST, daemon.socket);
  await delay(2000);
  const pid = programOf(open);
  const [before, bytes] = [usage(pid), open.bytes()];
  await delay(WATCHED * 1000);
  const after = usage(pid);
  const share = ((after.cpu - before.cpu) / WATCHED) * 100;
  const written = ((open.bytes() - bytes) / WATCHED) * 60;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what clears a screen.
  const clears = open.output().match(/\u001b\[[23]J/g)?.length ?? 0;
  const what = perSecond === 0 ? "idle" : `${perSecond} events/s`;
  row(`${what}: processor`, `${share.toFixed(1)} % of a core`, perSecond === 0 ? "" : "5 %");
  row(
    `${what}: memory`,
    `${(after.rss / 2 ** 20).toFixed(0)} MiB`,
    perSecond === 0 ? "" : "160 MB",
  );
  row(
    `${what}: written a minute`,
    `${(written / 1024).toFixed(1)} KiB`,
    perSecond === 0 ? "20 KB" : "",
  );
  row(`${what}: full clears`, String(clears), "0");
  await quit(open);
  await daemon.close();
}

function longList(): void {
  const runs = Array.from({ length: RUNS }, (_, index) => ({
    ...runSummary,
    id: `r-${RUNS - index}`,
  }));
  const long: Model = { ...model, runs };
  let ui: Ui = firstUi("hooks", false);
  const pressed = (key: string): number => {
    const started = performance.now();
    ui = press(ui, key, {
      model: long,
      theme: plainTheme,
      width: SIZE.width,
      height: SIZE.height,
    }).ui;
    frame({ model: long, ui, theme: plainTheme }, SIZE);
    return performance.now() - started;
  };
  const worst = (keys: readonly string[]) => Math.max(...keys.map(pressed)).toFixed(1);
  pressed("t");
  row(
    `${RUNS} runs: scroll, worst key`,
    `${worst(["j", "ctrl+d", "G", "k", "g", "j", "N"])} ms`,
    "50 ms",
  );
  row(
    `${RUNS} runs: filter, worst key`,
    `${worst(["/", "9", "9", "9", "Enter", "j"])} ms`,
    "50 ms",
  );
}

await starts();
await watched(0);
await watched(10_000);
longList();
print(rows, `The daemon is a double that only talks; ${WATCHED} s each.`);
