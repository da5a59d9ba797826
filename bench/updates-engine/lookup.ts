/** 100 npm dependencies looked up on a local registry, beside npm-check-updates: both as a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, type Row } from "../support/table.js";

const ROUNDS = 7;
const OURS = new URL("./lookup-process.js", import.meta.url).pathname;
const THEIRS = new URL("./their-lookup-process.js", import.meta.url).pathname;

/** Prints the most memory a process ever had, in KiB, when it ends. */
const TELL = `data:text/javascript,process.on("exit",()=>process.stderr.write("\\nmaxrss "+process.resourceUsage().maxRSS))`;

interface Measured {
  /** Milliseconds of the look-up alone, and of the whole process. */
  readonly lookup: number;
  readonly whole: number;
  /** MiB. */
  readonly memory: number;
}

async function measured(cwd: string, ...argv: string[]): Promise<Measured> {
  const started = performance.now();
  const child = spawn(process.execPath, ["--import", TELL, ...argv], {
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
  const { milliseconds, updates } = JSON.parse(stdout) as { milliseconds: number; updates: number };
  if (updates !== 100) throw new Error(`${argv[0]} found ${updates} updates instead of 100`);
  const memory = Number(/maxrss (\d+)/.exec(stderr)?.[1]) / 1024;
  return { lookup: milliseconds, whole: performance.now() - started, memory };
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
    median(all.map((one) => one[figure]));
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
    { what: "the same against npm-check-updates", result: both("lookup"), bar: "≥ 3 ×" },
    {
      what: "with the start of the process",
      result: `${both("whole")}; ${of(ours, "memory").toFixed(0)} MiB against ${of(theirs, "memory").toFixed(0)} MiB`,
      bar: "–",
    },
  ];
}
