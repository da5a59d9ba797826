/** Lock workers: what becomes of a job that fails, lasts too long, is not wanted any more, or comes too late. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { UpdatesError } from "../../errors.js";
import type { LockWorkers, PackageLockJob } from "./contract.js";
import { createLockWorkers, type LockWorkerOptions } from "./pool.js";

/** A project without dependencies, which needs no registry. */
async function scene(t: ExecutionContext, options: LockWorkerOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), "reeve-pool-"));
  const lock = {
    name: "app",
    lockfileVersion: 3,
    requires: true,
    packages: { "": { name: "app" } },
  };
  await writeFile(join(directory, "package.json"), `{ "name": "app" }`);
  await writeFile(join(directory, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
  const workers = createLockWorkers({ size: 1, ...options });
  t.teardown(async () => {
    await workers.close();
    await rm(directory, { recursive: true, force: true });
  });
  const job: PackageLockJob = {
    kind: "package_lock",
    directory,
    file: "package-lock.json",
    requirements: [],
    indirect: [],
    registries: { "": "http://127.0.0.1:1" },
    credentials: [],
    legacyPeers: false,
    cache: join(directory, "cache"),
  };
  return { workers, job };
}

async function failure(
  t: ExecutionContext,
  promise: ReturnType<LockWorkers["refresh"]>,
): Promise<string> {
  const error = await t.throwsAsync(promise, { instanceOf: UpdatesError, code: "lock_failed" });
  return error?.message ?? "";
}

test("more jobs than workers are done one after the other", async (t) => {
  const { workers, job } = await scene(t);
  const done = await Promise.all(Array.from({ length: 5 }, () => workers.refresh(job)));
  t.deepEqual(new Set(done.map(({ by }) => by.replace(/[\d.]+$/, "*"))), new Set(["arborist *"]));
});

test("a failed job affects no other job", async (t) => {
  const { workers, job } = await scene(t);
  const lost = { ...job, directory: "/nonexistent" };
  const [first, second] = await Promise.allSettled([workers.refresh(lost), workers.refresh(job)]);
  t.is(first.status, "rejected");
  t.is(second.status, "fulfilled");
});

test("a job that takes too long ends with its worker, and the next gets a new one", async (t) => {
  const { workers, job } = await scene(t, { timeout: 1 });
  t.regex(await failure(t, workers.refresh(job)), /longer than 1 ms/);
  t.regex(await failure(t, workers.refresh(job)), /longer than 1 ms/);
});

test("an aborted job ends", async (t) => {
  const { workers, job } = await scene(t);
  const stop = new AbortController();
  const refreshing = workers.refresh(job, stop.signal);
  stop.abort();
  t.regex(await failure(t, refreshing), /was stopped/);
  t.truthy(await workers.refresh(job));
});

test("after closing, waiting and new jobs are refused", async (t) => {
  const { workers, job } = await scene(t);
  const running = workers.refresh(job);
  const waiting = workers.refresh(job);
  const both = Promise.all([failure(t, running), failure(t, waiting)]);
  await workers.close();
  const [first, second] = await both;
  t.regex(first, /worker ended/);
  t.regex(second, /stopping/);
  t.regex(await failure(t, workers.refresh(job)), /stopping/);
});
