/**
 * Time is the processor's, of all threads of the process: what other programs do at the same moment counts for little, and
 * work that is handed to helper threads (collecting garbage) counts in full.
 */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
}

/** Median milliseconds of each contender. They run in turns, so that a moment of noise is shared by all. */
export async function race(
  contenders: readonly Contender[],
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<ReadonlyMap<string, number>> {
  const times = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const { name, run } of contenders) {
      const start = process.cpuUsage();
      await run();
      if (round >= 0) times.get(name)?.push(since(start));
    }
  }
  return new Map([...times].map(([name, each]) => [name, median(each)]));
}

/** Milliseconds of processor time since an earlier reading. */
export function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
