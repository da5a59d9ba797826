/**
 * Ends a daemon under load in several ways, starts it again, and counts which acknowledged deliveries it lost. Prints one table:
 * `npm run chaos`, or `npm run chaos -- --rounds 5 --seed 7`. Exits with 1 if a delivery was lost.
 */
import { parseArgs } from "node:util";
import { print, type Row } from "../../bench/support/table.js";
import { seeded } from "../../daemon/services/runs/journal/testing/recorded-files.js";
import { child, type Ending } from "../support/child.js";
import { type Counts, trial } from "./trial.js";
import { ext4, plain, type StateVolume, small } from "./volumes.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "30" },
    minutes: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
  },
});
const rounds = Number(values.rounds);
/** Of each event, in milliseconds. */
const share = (Number(values.minutes) * 60_000) / 3;

interface Event {
  readonly name: string;
  /** Gives a reason if this machine cannot do it. */
  open(): Promise<StateVolume | string>;
  readonly strike: "kill" | "cut" | "fill";
}

const events: readonly Event[] = [
  { name: "`kill -9`", open: plain, strike: "kill" },
  { name: "power cut (ext4 without its log flushed)", open: ext4, strike: "cut" },
  { name: "full disk, then `kill -9`", open: small, strike: "fill" },
];

async function main(): Promise<void> {
  const rows: Row[] = [];
  for (const { name, open, strike } of events) {
    const volume = await open();
    if (typeof volume === "string") {
      rows.push({ what: name, result: `skipped: ${volume}`, bar: "0 lost" });
      continue;
    }
    const random = seeded(Number(values.seed));
    const total: Counts = { acknowledged: 0, refused: 0, lost: 0, reported: 0 };
    const end = performance.now() + share;
    let done = 0;
    try {
      while (done < rounds && performance.now() < end) {
        const counts = await trial(volume, strike, random);
        for (const key of ["acknowledged", "refused", "lost", "reported"] as const) {
          total[key] += counts[key];
        }
        done += 1;
      }
    } finally {
      await volume.close();
    }
    if (total.lost > 0) process.exitCode = 1;
    const { acknowledged, refused, lost, reported } = total;
    rows.push({
      what: `${name}, ${done} rounds`,
      result: `${lost} lost of ${acknowledged} acknowledged; ${refused} refused or without an answer; ${reported} reports of damage`,
      bar: "0 lost",
    });
  }
  print(rows, `Seed ${values.seed}.`);
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
