/**
 * What the dashboard costs: its first frame, an idle terminal, 10,000 events a second, a list of 100,000 runs.
 * Prints one table: node dist/bench/tui/main.js [--minutes 10] [--only starts|idle|busy|list]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runSummary } from "../../cli/testing/samples.js";
import type { Model } from "../../cli/tui/model/model.js";
import { model } from "../../cli/tui/testing/model.js";
import { screens } from "../../cli/tui/testing/screens.js";
import { press } from "../../cli/tui/ui/press.js";
import { firstUi, type Ui } from "../../cli/tui/ui/ui.js";
import { frame } from "../../cli/tui/view/frame.js";
import { plainTheme } from "../../cli/tui/view/theme.js";
import { startEventDaemon } from "../support/event-daemon.js";
import { median, print, type Row } from "../support/table.js";

const SIZE = { width: 120, height: 35 };
const STARTS = 5;
/** Seconds of measurement without `--minutes`. */
const WATCHED = 20;
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

const rows: Row[] = [];
const row = (what: string, result: string, bar: string): number => rows.push({ what, result, bar });

async function starts(): Promise<void> {
  const daemon = await startEventDaemon(0);
  for (const [name, program, bar] of [
    ["dist", DIST, "≤ 250 ms"],
    ["bundled", BUNDLE, "≤ 150 ms"],
  ] as const) {
    if (!existsSync(program)) continue;
    const times: number[] = [];
    // The first one compiles.
    await quit(await top(program, daemon.socket));
    for (let start = 0; start < STARTS; start += 1) {
      const watched = await top(program, daemon.socket);
      times.push(watched.firstFrame);
      await quit(watched);
    }
    row(`first frame, ${name}`, `${median(times).toFixed(0)} ms`, bar);
  }
  await daemon.close();
}

/** Percent of a core while some seconds pass. */
async function share(pid: string, seconds: number): Promise<number> {
  const before = usage(pid).cpu;
  await delay(seconds * 1000);
  return ((usage(pid).cpu - before) / seconds) * 100;
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

async function watched(perSecond: number, seconds: number): Promise<void> {
  const daemon = await startEventDaemon(perSecond);
  const alone = await share(daemon.pid, 5);
  const open = await top(existsSync(BUNDLE) ? BUNDLE : DIST, daemon.socket);
  await delay(3000);
  const pid = programOf(open);
  const [before, bytes] = [usage(pid), open.bytes()];
  const ages = agesOn(open);
  const measured = share(daemon.pid, seconds);
  await delay((seconds * 1000) / 2);
  const half = usage(pid);
  await delay((seconds * 1000) / 2);
  const after = usage(pid);
  const used = ((after.cpu - before.cpu) / seconds) * 100;
  const written = ((open.bytes() - bytes) / seconds) * 60;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what clears a screen.
  const clears = open.output().match(/\u001b\[[23]J/g)?.length ?? 0;
  const isBusy = perSecond > 0;
  const what = isBusy ? `${perSecond} events/s` : "idle";
  row(`${what}: processor`, `${used.toFixed(1)} % of a core`, isBusy ? "≤ 5 %" : "");
  if (isBusy) {
    const own = Math.max(0, (await measured) - alone);
    row(`${what}: processor of the daemon for it`, `${own.toFixed(1)} % of a core`, "≤ 10 %");
    row(`${what}: from an event to the screen, p95`, `${percentile(ages(), 95)} ms`, "≤ 1200 ms");
  }
  row(
    `${what}: memory half-way and after ${(seconds / 60).toFixed(seconds < 60 ? 2 : 0)} min`,
    `${mebibytes(half.rss)} and ${mebibytes(after.rss)} MiB`,
    isBusy ? "≤ 160 MB, flat" : "",
  );
  row(`${what}: written a minute`, `${(written / 1024).toFixed(1)} KiB`, isBusy ? "" : "≤ 20 KB");
  row(`${what}: full clears`, String(clears), "0");
  await measured;
  await quit(open);
  await daemon.close();
}

/** How old events are when they are first seen: all of those between the newest of one frame and that of the next. */
function agesOn({ child }: Watched): () => readonly number[] {
  const ages: number[] = [];
  let newest = Number.NaN;
  child.stdout?.on("data", (chunk: Buffer) => {
    const now = Date.now();
    const seen = Math.max(...[...chunk.toString("latin1").matchAll(/at=(\d{13})/g)].map(momentOf));
    if (!(seen > newest)) {
      if (Number.isNaN(newest) && seen > 0) newest = seen;
      return;
    }
    for (let part = 0; part < 100; part += 1)
      ages.push(now - newest - ((seen - newest) * part) / 100);
    newest = seen;
  });
  return () => ages;
}

const momentOf = ([, digits]: RegExpMatchArray): number => Number(digits);

function percentile(values: readonly number[], percent: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length * percent) / 100)] ?? Number.NaN).toFixed(0);
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
      screens,
      width: SIZE.width,
      height: SIZE.height,
    }).ui;
    frame({ model: long, ui, theme: plainTheme, screens }, SIZE);
    return performance.now() - started;
  };
  const worst = (keys: readonly string[]) => Math.max(...keys.map(pressed)).toFixed(1);
  pressed("t");
  row(
    `${RUNS} runs: scroll, worst key`,
    `${worst(["j", "ctrl+d", "G", "k", "g", "j", "N"])} ms`,
    "≤ 50 ms",
  );
  row(
    `${RUNS} runs: filter, worst key`,
    `${worst(["/", "9", "9", "9", "Enter", "j"])} ms`,
    "≤ 50 ms",
  );
}

const { values: options } = parseArgs({
  options: { minutes: { type: "string" }, only: { type: "string" } },
});
/** Seconds that 10,000 events/s are watched: ten minutes show whether memory stays. */
const seconds = options.minutes === undefined ? WATCHED : Number(options.minutes) * 60;
const parts: Readonly<Record<string, () => Promise<void> | void>> = {
  starts,
  idle: () => watched(0, WATCHED),
  busy: () => watched(10_000, seconds),
  list: longList,
};
for (const [name, part] of Object.entries(parts)) {
  if (options.only === undefined || options.only === name) await part();
}
print(rows, `The daemon is its stream of events and nothing else; ${seconds} s of events.`);
