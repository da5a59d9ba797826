/**
 * What the services cost on the way of a request: a run recorded on the disk, one after the other and many at once; a
 * command; a log line; an event; a job. Prints one table: node dist/bench/services/main.js
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { PluginContext } from "../../daemon/plugin-api/context.js";
import { instanceServices } from "../../daemon/services/instance-services.js";
import { openServices } from "../../daemon/services/services.js";
import { median, print, quantile, type Row } from "../support/table.js";

const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
const options = {
  directories: {
    state: join(directory, "state"),
    cache: join(directory, "cache"),
    temporary: join(directory, "temporary"),
  },
  logLevel: "info",
  logFormat: "json",
  logStream: nowhere,
} as const;

type ContextSubset = Pick<PluginContext, "runs" | "jobs" | "processes" | "log" | "events">;

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function each(count: number, work: (index: number) => unknown): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await timed(() => work(index)));
  return times;
}

const together = (count: number, work: (index: number) => Promise<unknown>): Promise<number> =>
  timed(() => Promise.all(Array.from({ length: count }, (_, index) => work(index))));

const ms = (time: number): string => `${time.toFixed(time < 1 ? 3 : 1)} ms`;
const both = (times: readonly number[]): string =>
  `${ms(median(times))} (99 %: ${ms(quantile(times, 0.99))})`;
const rate = (count: number, time: number): string =>
  `${Math.round(count / (time / 1000)).toLocaleString("en")} / s`;

async function rows({
  runs,
  jobs,
  processes,
  log,
  events,
}: ContextSubset): Promise<readonly Row[]> {
  const record = async (): Promise<void> => {
    const run = await runs.start({ kind: "hook", subject: "hook.a", trigger: "POST /a" });
    run.output("stdout", "some output\n");
    await run.finish({ state: "succeeded", exitCode: 0 });
  };
  await each(200, record);
  const single = await each(500, record);
  const many = await together(10_000, record);
  const commands = await each(50, () => processes.run({ argv: ["/bin/true"] }));
  const commandsTogether = await together(200, () => processes.run({ argv: ["/bin/true"] }));
  const lines = await timed(() => {
    for (let index = 0; index < 50_000; index++) log.info("A line.", { index, subject: "hook.a" });
  });
  const elapsed = await timed(() => {
    for (let index = 0; index < 50_000; index++) events.emit("a.b", { index, subject: "hook.a" });
  });
  let done = 0;
  let allDone: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    allDone = resolve;
  });
  const queue = await jobs.queue<number>("q", { concurrency: 50 }, async () => {
    done += 1;
    if (done === 2000) allDone();
  });
  const worked = await timed(async () => {
    await together(2000, (index) => queue.add(index));
    await finished;
  });
  return [
    { what: "run: start and finish, alone", result: both(single), bar: "two commits to the disk" },
    { what: "runs: 10,000 at once", result: rate(10_000, many), bar: "5,000 / s" },
    { what: "command: /bin/true, alone", result: both(commands), bar: "spawning it" },
    { what: "commands: 200 at once", result: rate(200, commandsTogether), bar: "" },
    { what: "jobs: added and done, 50 at once", result: rate(2000, worked), bar: "1,000 / s" },
    { what: "log lines", result: rate(50_000, lines), bar: "100,000 / s" },
    { what: "events", result: rate(50_000, elapsed), bar: "100,000 / s" },
  ];
}

const empty = await timed(async () => (await openServices(options)).close());
const kit = await openServices(options);
try {
  const context = instanceServices(
    kit.openScope({
      plugin: "bench",
      generation: () => 1,
      configuration: directory,
    }).scope,
  );
  const measured = await rows(context);
  await kit.close();
  const full = await timed(async () => (await openServices(options)).close());
  const opening = { what: "open and close: empty", result: ms(empty), bar: "" };
  const reopening = { what: "open and close: 10,000 runs", result: ms(full), bar: "50 ms" };
  print(
    [...measured, opening, reopening],
    "Every run and job is on the disk when it is said to be.",
  );
} finally {
  await kit.close();
  rmSync(directory, { recursive: true, force: true });
}
