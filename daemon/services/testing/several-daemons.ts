/** Several daemons that share jobs, in processes of their own, and what they have done. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExecutionContext } from "ava";
import pg from "pg";
import { type Child, child } from "../../../tests/support/child.js";
import type { Queue } from "../../plugin-api/state.js";
import { contextOf, kitFor, temporaryDirectory } from "./services.js";

const program = fileURLToPath(new URL("./shared-daemon.js", import.meta.url));

export interface Line {
  readonly what: string;
  readonly job: number;
  readonly pid: number;
}

export function scene(t: ExecutionContext) {
  const directory = temporaryDirectory(t);
  const log = join(directory, "log");
  let count = 0;
  return {
    lines: (): readonly Line[] =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => {
              const [what = "", job, pid] = line.split(" ");
              return { what, job: Number(job), pid: Number(pid) };
            })
        : [],
    /** `lease` in milliseconds. */
    async daemon(address: string, lease = 3000): Promise<Child> {
      const own = join(directory, String(++count));
      const words = [program, own, address, log, String(lease)];
      const started = child(t, process.execPath, words);
      await started.says(/^works$/m);
      return started;
    },
  };
}

/** A queue that only adds. */
export async function adder(t: ExecutionContext, address: string, ...more: readonly string[]) {
  const kit = await kitFor(t);
  await kit.share({ address, lease: 30_000 }, new AbortController().signal);
  const { jobs } = (await contextOf(kit)).context;
  const [first, ...others] = await Promise.all(
    ["q", ...more].map((name) => jobs.queue<number>(name, {}, async () => undefined)),
  );
  for (const queue of [first, ...others]) await queue?.close();
  return [first, ...others] as [Queue<number>, ...Queue<number>[]];
}

export async function left(queue: Queue<number> | undefined): Promise<number> {
  const { waiting = 0, running = 0 } = (await queue?.size()) ?? {};
  return waiting + running;
}

/** Jobs that have had their effect, each as often as it had it. */
export async function effectsIn(address: string): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query<{ job: string }>(
    "SELECT job FROM reeve_plugin_sample.effects ORDER BY job",
  );
  await client.end();
  return rows.map(({ job }) => Number(job));
}

export const endedIn = (lines: readonly Line[]): number[] =>
  lines.filter(({ what }) => what === "ends").map(({ job }) => job);
