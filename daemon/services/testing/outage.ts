/** One of three daemons is killed, and one cut off from the database for longer than its lease. */
import type { ExecutionContext } from "ava";
import { eventually, remains } from "../../../tests/support/eventually.js";
import { CuttableLink } from "./cuttable-link.js";
import { databaseFor } from "./postgres.js";
import { adder, effectsIn, endedIn, left, scene } from "./several-daemons.js";

const until = (holds: () => boolean | Promise<boolean>) =>
  eventually(String(holds), holds, { within: 240_000 });

export interface OutageOptions {
  /** How many there are to do at first, and how many at a time until the one that was cut off is back. */
  readonly jobs: number;
  readonly more: number;
  /** Milliseconds. */
  readonly lease: number;
  /** Milliseconds, more than the lease. */
  readonly cutOffFor: number;
}

/** Each job has its effect once, and never are two daemons at it. */
export async function outage(
  t: ExecutionContext,
  { jobs, more, lease, cutOffFor }: OutageOptions,
): Promise<void> {
  const address = await databaseFor(t);
  const way = await CuttableLink.to(t, address);
  const { daemon, lines } = scene(t);
  const [queue, long] = await adder(t, address, "long");
  const [killed, cutOff, third] = await Promise.all([
    daemon(address, lease),
    daemon(way.address, lease),
    daemon(address, lease),
  ]);
  const all = Array.from({ length: jobs }, (_, index) => index);
  await Promise.all(all.map((job) => queue.add(job, { key: `job ${job}` })));
  const longOnes = [5000, 5001, 5002];
  await Promise.all(longOnes.map((job) => long?.add(job)));
  await until(() => endedIn(lines()).length > jobs / 7);
  await until(() => longOnes.every((job) => lines().some((line) => line.job === job)));
  killed?.kill("SIGKILL");
  way.cut();
  await Promise.all([
    remains("it is cut off", () => true, cutOffFor),
    until(() => lines().some(({ what, pid }) => what === "loses" && pid === cutOff?.pid)),
    until(async () => (await left(queue)) + (await left(long)) === 0),
  ]);
  way.mend();
  t.deepEqual(await effectsIn(address), [...all, ...longOnes]);
  const output = lines();
  const holders = new Map<number, number>();
  const overlaps: string[] = [];
  for (const { what, job, pid } of output) {
    const holder = holders.get(job);
    if (what !== "begins") holders.delete(job);
    else {
      if (holder !== undefined && holder !== killed?.pid)
        overlaps.push(`${job}: ${holder}, ${pid}`);
      holders.set(job, pid);
    }
  }
  t.deepEqual(overlaps, [], "the one that is cut off lets go before another one begins");
  // Back again, it works as before.
  const before = lines().length;
  const others: number[] = [];
  // The other one may have done them all before it is back.
  await until(async () => {
    if ((await left(queue)) === 0) {
      const next = Array.from({ length: more }, (_, index) => 10_000 + others.length + index);
      others.push(...next);
      await Promise.all(next.map((job) => queue.add(job)));
    }
    return lines()
      .slice(before)
      .some(({ pid }) => pid === cutOff?.pid);
  });
  await until(async () => (await left(queue)) === 0);
  t.true(
    lines()
      .slice(before)
      .some(({ pid }) => pid === third?.pid),
  );
  t.deepEqual(await effectsIn(address), [...all, ...longOnes, ...others]);
}
