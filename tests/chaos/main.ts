/**
 * Strikes daemons under load in several ways, lets them or their successors go on, and compares what was acknowledged with the records and with what the
 * commands did. Prints one table: `npm run chaos`, or `npm run chaos -- --rounds 5 --seed 7 --only EIO`. Exits with 1 if anything is not as it should be.
 */
import { parseArgs } from "node:util";
import { print, type Row } from "../../bench/support/table.js";
import { seeded } from "../../daemon/services/runs/journal/testing/recorded-files.js";
import { child, type Ending } from "../support/child.js";
import { type Experiment, experiments } from "./experiments.js";
import { counted, faults, nothing } from "./judge.js";
import { trial } from "./trial.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    minutes: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const chosen = experiments.filter(({ name }) => name.includes(values.only ?? ""));
/** Of each experiment, in milliseconds. */
const share = (Number(values.minutes) * 60_000) / chosen.length;

async function main(): Promise<void> {
  const rows: Row[] = [];
  for (const experiment of chosen) {
    const row = await performed(experiment);
    process.stderr.write(`${row.what}: ${row.result}\n`);
    rows.push(row);
  }
  print(rows, `Seed ${values.seed}.`);
}

async function performed(experiment: Experiment): Promise<Row> {
  const random = seeded(Number(values.seed));
  const total = nothing();
  const end = performance.now() + share;
  let [done, unready, slowest, reports] = [0, 0, 0, 0];
  let fault: string | undefined;
  while (done < rounds && performance.now() < end && fault === undefined) {
    try {
      const { counts, wasUnready, ended, findings } = await trial(experiment, random);
      for (const name of counted) total[name] += counts[name];
      if (wasUnready) unready += 1;
      reports += findings;
      slowest = Math.max(slowest, ended);
      done += 1;
    } catch (thrown) {
      fault = thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
  const wrong = faults.filter((name) => total[name] > 0);
  if (total.acknowledged === 0) fault ??= "Nothing was acknowledged.";
  if (reports > 0 && experiment.damages !== true)
    fault ??= `There are ${reports} findings of damage.`;
  const isSilent = experiment.isUnready === true && unready < done;
  if (wrong.length > 0 || fault !== undefined || isSilent) process.exitCode = 1;
  const {
    acknowledged,
    ran,
    mayHaveRun,
    named,
    repeated,
    refused,
    lost,
    changed,
    twice,
    ranRefused,
  } = total;
  const parts = [
    `${lost} lost, ${changed} changed, ${twice} twice, ${ranRefused} refused and run`,
    `${acknowledged} acknowledged: ${ran} ran, ${mayHaveRun} interrupted or not started, ${named} named as missing`,
    ...(repeated > 0 ? [`${repeated} ran again, their start being named as missing`] : []),
    `${refused} refused or without an answer`,
    ...(experiment.isUnready ? [`not ready in ${unready}`] : []),
    ...(experiment.damages ? [`${reports} findings`] : []),
    `stop within ${Math.ceil(slowest / 100) / 10} s`,
    ...(fault === undefined ? [] : [`round ${done + 1}: ${fault}`]),
  ];
  return {
    what: `${experiment.name}, ${done} rounds`,
    result: parts.join("; "),
    bar: "0, 0, 0, 0",
  };
}

/** Mounts of this program are its own: where others copy them, what is unmounted here stays in use. */
async function inOwnMounts(): Promise<void> {
  const t: Ending = { teardown: () => undefined };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  // So are its processes, which all end with the first of them.
  const own = [
    "--mount",
    "--propagation",
    "private",
    "--mount-proc",
    "--pid",
    "--fork",
    "--kill-child",
  ];
  const words = [...own, process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, REEVE_CHAOS_MOUNTS: "own" };
  const end = await child(t, "unshare", words, { stdio: "inherit", env }).ended;
  process.exitCode = typeof end === "number" ? end : 1;
}

if (process.getuid?.() === 0 && process.env.REEVE_CHAOS_MOUNTS === undefined) await inOwnMounts();
else await main();
