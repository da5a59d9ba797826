/** 100 npm dependencies looked up on a local registry, beside npm-check-updates: both as a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, type Row } from "../support/table.js";

const ROUNDS = 7;
const OURS = new URL("./lookup-process.js", import.meta.url).pathname;
const THEIRS = new URL("./their-lookup-process.js", import.meta.url).pathname;

/** What a process tells. */
interface LookupReport {
  readonly milliseconds: number;
  readonly updates: number;
  readonly whole: number;
  readonly memory: number;
  readonly again?: number;
}

interface Measured {
  /** Milliseconds of the look-up alone, and with the start of the process. */
  readonly lookup: number;
  readonly whole: number;
  /** MiB, the most it had until then. */
  readonly memory: number;
  /** Milliseconds of a later one, with nothing kept. */
  readonly again: number | undefined;
}

async function measured(cwd: string, ...argv: string[]): Promise<Measured> {
  const child = spawn(process.execPath, argv, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`${argv[0]} ended with ${code}: ${stderr}`);
  const { milliseconds, updates, memory, again, whole } = JSON.parse(stdout) as LookupReport;
  if (updates !== 100) throw new Error(`${argv[0]} found ${updates} updates instead of 100`);
  return { lookup: milliseconds, whole, memory, again };
}

export async function lookupRows(directory: string, url: string): Promise<readonly Row[]> {
  const dependencies = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`package-${index}`, "^1.0.0"]),
  );
  const manifest = join(directory, "package.json");
  writeFileSync(manifest, JSON.stringify({ name: "app", dependencies }, null, 2));
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await measured(directory, OURS, manifest, url));
    theirs.push(await measured(directory, THEIRS, manifest, url));
  }
  const of = (all: readonly Measured[], figure: keyof Measured): number =>
    median(all.map((one) => one[figure] ?? Number.NaN));
  const factor = (figure: keyof Measured): string =>
    `${(of(theirs, figure) / of(ours, figure)).toFixed(1)} × faster`;
  const both = (figure: keyof Measured): string =>
    `${of(ours, figure).toFixed(0)} ms against ${of(theirs, figure).toFixed(0)} ms: ${factor(figure)}`;
  return [
    {
      what: "look-up of 100 npm dependencies, the first of a process",
      result: `${of(ours, "lookup").toFixed(0)} ms`,
      bar: "≤ 100 ms",
    },
    {
      what: "the same later in that process, with nothing kept",
      result: `${of(ours, "again").toFixed(0)} ms`,
      bar: "≤ 100 ms",
    },
    { what: "the first against npm-check-updates", result: both("lookup"), bar: "≥ 3 ×" },
    {
      what: "with the start of the process",
      result: `${both("whole")}; ${of(ours, "memory").toFixed(0)} MiB against ${of(theirs, "memory").toFixed(0)} MiB`,
      bar: "–",
    },
  ];
}
