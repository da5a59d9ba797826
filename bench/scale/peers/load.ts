/** What a daemon takes to load a library on top of the driver, bundled as reeve's commands are. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { median, type Row } from "../../support/table.js";

const repetitions = 9;
const here = fileURLToPath(new URL(".", import.meta.url));

interface Load {
  /** Megabytes of memory that stay. */
  readonly memory: number;
  /** Milliseconds of processor. */
  readonly time: number;
}

const program = `
  const [, driver, library] = process.argv;
  await import(driver);
  global.gc();
  const [before, begun] = [process.memoryUsage().rss, process.cpuUsage()];
  await import(library);
  const { user, system } = process.cpuUsage(begun);
  global.gc();
  process.stdout.write(JSON.stringify([process.memoryUsage().rss - before, user + system]));`;

/** `source` is a module that takes from the library what a daemon would. */
async function loadOf(source: string): Promise<Load> {
  // Here, since the driver is not part of it and has to be found.
  const outfile = join(here, `library-${process.pid}.mjs`);
  await build({
    stdin: { contents: source, resolveDir: here },
    ...{ outfile, bundle: true, minify: true, platform: "node", format: "esm", external: ["pg"] },
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
    logLevel: "error",
  });
  try {
    return measured(outfile);
  } finally {
    rmSync(outfile);
  }
}

function measured(library: string): Load {
  const words = ["--expose-gc", "--input-type=module", "--eval", program];
  const driver = import.meta.resolve("pg");
  const found = Array.from({ length: repetitions }, () => {
    const output = execFileSync(process.execPath, [...words, driver, library], {
      encoding: "utf8",
    });
    return JSON.parse(output) as [memory: number, time: number];
  });
  return {
    memory: median(found.map(([memory]) => memory)) / 1e6,
    time: median(found.map(([, time]) => time)) / 1000,
  };
}

const sources = {
  reeve: `export { SharedQueue } from "../../../daemon/services/shared/shared-queue.js";
    export { adding } from "../../../daemon/services/shared/schema-jobs.js";`,
  "pg-boss": 'export { PgBoss } from "pg-boss";',
  "graphile-worker": 'export { makeWorkerUtils, run } from "graphile-worker";',
} as const;

export async function load(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, source] of Object.entries(sources)) {
    const { memory, time } = await loadOf(source);
    const result = `${memory.toFixed(1)} MB, ${time.toFixed(0)} ms of processor`;
    rows.push({ what: `${name}: loading it, bundled, on top of the driver`, result, bar: "" });
  }
  return rows;
}
