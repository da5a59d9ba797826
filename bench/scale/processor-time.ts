/** Processor time of a process and of those it has started, as the kernel counts it. */
import { readdirSync, readFileSync } from "node:fs";

/** Of a clock tick, which the kernel shows to programs as 10 ms. */
const MICROSECONDS = 10_000;

/** In microseconds, by process. */
export function processorTimes(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const [, parent, ...more] = fieldsOf(name);
    if (name !== String(pid) && parent !== String(pid)) continue;
    const [user = 0, system = 0] = more.slice(9, 11).map(Number);
    times.set(name, (user + system) * MICROSECONDS);
  }
  return times;
}

/** What those that are still there have taken meanwhile. */
export function taken(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  let sum = 0;
  for (const [process, time] of after) sum += time - (before.get(process) ?? 0);
  return sum;
}

/** What follows the name in `stat`: the state, the parent, and so on. */
function fieldsOf(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // It has ended meanwhile.
  }
}
