/**
 * The test suite as a benchmark: `npm run bench -- suite`. Runs what `npm test` runs in this checkout and prints time, processor
 * time and what is left on the machine afterwards, also after a run that was killed. Words: `--runs 20`, `--busy 4` (processes that
 * compute meanwhile), `--tiers unit,system`, `--kill 90` (seconds after which a further run is killed; 0 for none).
 */
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { type Child, child, type Ending } from "../../tests/support/child.js";
import { eventually } from "../../tests/support/eventually.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1" },
    busy: { type: "string", default: "0" },
    tiers: { type: "string", default: "unit,system,tool" },
    kill: { type: "string", default: "90" },
  },
});

/** Milliseconds: a run that takes longer hangs. */
const LIMIT = 3_600_000;
const tiers = values.tiers.split(",").flatMap((tier) => ["--tier", tier]);
const ends: Array<() => unknown> = [];
const t: Ending = { teardown: (end) => ends.push(end) };

/** What a run could leave. */
interface Traces {
  readonly processes: ReadonlySet<string>;
  readonly mounts: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

const entries = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const below = (directory: string): readonly string[] =>
  entries(directory).map((name) => `${directory}/${name}`);

/** Pids with their start, so that one that is used again is another process; not the kernel's threads. */
function processes(): ReadonlySet<string> {
  const found = entries("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || readFileSync(`/proc/${pid}/cmdline`, "utf8") === "") return [];
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
      return [`${pid} ${start} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").slice(0, 80)}`];
    } catch {
      return [];
    }
  });
  return new Set(found);
}

const traces = (): Traces => ({
  processes: processes(),
  mounts: new Set(readFileSync("/proc/mounts", "utf8").split("\n")),
  namespaces: new Set(entries("/run/netns")),
  files: new Set([
    ...entries(tmpdir()),
    ...below("/run/reeve"),
    // Compiled code of root's commands.
    ...below("/var/cache/reeve/code").flatMap(below),
  ]),
});

function left(before: Traces): Readonly<Record<keyof Traces, readonly string[]>> {
  const after = traces();
  const more = (kind: keyof Traces) => [...after[kind]].filter((each) => !before[kind].has(each));
  return {
    processes: more("processes"),
    mounts: more("mounts"),
    namespaces: more("namespaces"),
    files: more("files"),
  };
}

/** Seconds of processor time of all children that have ended. */
function spent(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) / 100;
}

const start = (): Child => child(t, process.execPath, ["scripts/test.mjs", ...tiers]);
const row = (...cells: readonly unknown[]): void =>
  void process.stdout.write(`| ${cells.join(" | ")} |\n`);
/** Ends what the benchmark started, also when a signal ends it. */
const end = async (): Promise<void> => {
  for (const each of ends.splice(0).reverse()) await each();
};
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void end().finally(() => process.exit(1)));
const minutes = (milliseconds: number): string =>
  `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;

try {
  for (let i = 0; i < Number(values.busy); i += 1)
    child(t, process.execPath, ["-e", "for (;;) Math.sqrt(Math.random());"]);
  row("run", "time", "processor time", "result", "left: processes, mounts, namespaces, files");
  row("---", "---", "---", "---", "---");
  for (let run = 1; run <= Number(values.runs); run += 1) {
    const [before, started, used] = [traces(), performance.now(), spent()];
    const suite = start();
    await eventually("the end of the suite", () => !suite.isAlive, { within: LIMIT, every: 500 });
    const time = performance.now() - started;
    const after = left(before);
    const last = suite.stdout.trim().split("\n").at(-1);
    const counts = Object.values(after).map((each) => each.length);
    row(run, minutes(time), `${Math.round(spent() - used)} s`, last, counts.join(", "));
    const named = Object.values(after).flat();
    if (named.length > 0) process.stderr.write(`${named.join("\n")}\n`);
    if (suite.process.exitCode !== 0) {
      process.stderr.write(suite.stdout.slice(-20_000));
      process.exitCode = 1;
    }
  }
  const seconds = Number(values.kill);
  if (seconds > 0) {
    const before = traces();
    const suite = start();
    const end = performance.now() + seconds * 1000;
    await eventually("the time of the kill", () => performance.now() > end, { within: LIMIT });
    suite.kill("SIGKILL");
    await suite.ended;
    // The janitor of the run has a few seconds.
    const none = () => Object.values(left(before)).every((each) => each.length === 0);
    await eventually("the end of what it left", none, { within: 30_000 }).catch(() => undefined);
    const counts = Object.values(left(before)).map((each) => each.length);
    row("killed", `after ${seconds} s`, "", "", counts.join(", "));
    const named = Object.values(left(before)).flat();
    if (named.length > 0) process.stderr.write(`${named.join("\n")}\n`);
  }
} finally {
  await end();
}
