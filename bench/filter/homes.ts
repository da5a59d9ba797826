/** Runs in home directories of different sizes: what the start and the end of a run cost there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createTestInternet,
  type TestInternet,
} from "../../plugins/firewall/testing/test-internet.js";
import { median, type Row } from "../support/table.js";

const rounds = 21;
const [directories, files] = [1000, 1000];

/** @param awf the program with its options */
export async function homes(awf: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const isLarge of [false, true]) {
    await using world = await createTestInternet({});
    if (isLarge) fill(world.home);
    const size = isLarge ? `${(directories * files).toLocaleString("en")} entries` : "no entries";
    for (const ordinary of [false, true]) rows.push(...(await inHome(world, awf, size, ordinary)));
  }
  return rows;
}

function fill(home: string): void {
  for (let index = 0; index < directories; index += 1) {
    const directory = join(home, `project-${index % 10}`, `directory-${index}`);
    mkdirSync(directory, { recursive: true });
    for (let file = 0; file < files; file += 1) writeFileSync(join(directory, `${file}`), "");
  }
}

/** The command writes the clock as its last act. The two kinds of runs take turns. */
async function inHome(
  world: TestInternet,
  awf: readonly string[],
  size: string,
  ordinary: boolean,
): Promise<Row[]> {
  const lines = {
    nothing: "date +%s%N",
    changes: "for i in 0 1 2 3 4 5 6 7 8 9; do echo $i >> ~/changed-$i; done; date +%s%N",
  };
  const times: Record<string, number[]> = { whole: [], nothing: [], changes: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const [what, line] of Object.entries(lines)) {
      const start = performance.timeOrigin + performance.now();
      const words = [...awf, "--", line];
      const { child, result } = world.start(process.execPath, words, { ordinary });
      let ended = 0;
      child.once("exit", () => {
        ended = performance.timeOrigin + performance.now();
      });
      const { stdout } = await result;
      if (what === "nothing") times.whole?.push(ended - start);
      times[what]?.push(ended - Number(stdout) / 1e6);
    }
  const who = ordinary || process.getuid?.() !== 0 ? "an ordinary user" : "root";
  const of = (what: string) => median(times[what] ?? []);
  return [
    {
      what: `whole run as ${who}, home of ${size}`,
      result: `${of("whole").toFixed(0)} ms`,
      bar: size === "no entries" ? "≤ 150 ms" : "≤ 170 ms",
    },
    {
      what: "… its end where 10 files of the home changed, beyond that of a run without changes",
      result: `${(of("changes") - of("nothing")).toFixed(0)} ms`,
      bar: "≤ 30 ms",
    },
  ];
}
