import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output, runSync } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import { needs, rootUser } from "../../../tests/support/needs.js";
import type { EnterPlan } from "../engine/enter.js";
import { NamespacePool } from "./namespace-pool.js";

const plan: EnterPlan = {
  proxyPort: 3128,
  dnsServers: [],
  hostPorts: [],
  hostAddress: "",
  ports: [],
};
const neverAborts = new AbortController().signal;

test("a pool without kinds has no idle namespaces, and takes make one", async (t) => {
  const { pool } = poolOf(t, 60_000);
  const taken = await pool.take(plan, neverAborts);
  t.is(pool.size, 0);
  t.true(taken.namespace.pid > 0);
  await taken.release();
});

test("a pool replaces idle namespaces whose processes ended", async (t) => {
  const { pool, processes } = poolOf(t, 20);
  pool.keep([plan]);
  const ended = await eventually("two idle shells", () => pairOf(processes()));
  for (const pid of ended) process.kill(pid, "SIGKILL");
  await eventually("two others", () => {
    const others = processes().filter((pid) => !ended.includes(pid));
    return pool.size === 2 && others.length === 2;
  });
  t.is(pool.size, 2);
});

needs(test, rootUser)(
  "idle namespaces release a mount that the host removes, though nothing takes them",
  async (t) => {
    const { disk, umount } = mounted(t);
    const { pool, processes } = poolOf(t, 20);
    const holders = (): number[] => processes().filter((pid) => hasMount(pid, disk));
    pool.keep([plan]);
    await eventually("two idle shells with the mount", () => pairOf(holders()));
    umount();
    await eventually("no process that holds the mount", () => holders().length === 0);
    await eventually("two idle shells without it", () => pairOf(processes()));
    t.is(holders().length, 0);
  },
);

needs(test, rootUser)(
  "a namespace that is taken after the host mounted something has that mount",
  async (t) => {
    const { pool } = poolOf(t, 60_000);
    pool.keep([plan]);
    await eventually("two idle namespaces", () => pool.size === 2);
    const { disk } = mounted(t);
    const taken = await pool.take(plan, neverAborts);
    t.true(hasMount(taken.namespace.pid, disk));
    await taken.release();
  },
);

interface Pool {
  readonly pool: NamespacePool;
  /** Of its idle namespaces: the shells that wait in them. */
  readonly processes: () => number[];
}

function poolOf(t: ExecutionContext, mountsMs: number): Pool {
  const directory = join(folder(t), "pool");
  mkdirSync(directory);
  const reportFailure = (thrown: unknown): void => t.fail(String(thrown));
  const pool = new NamespacePool({ directory, size: 2, mountsMs, reportFailure });
  t.teardown(() => pool.close());
  const processes = (): number[] =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => isShellIn(pid, directory))
      .map(Number);
  return { pool, processes };
}

/** A small disk in memory. */
function mounted(t: ExecutionContext): { disk: string; umount: () => void } {
  const disk = join(folder(t), "disk");
  mkdirSync(disk);
  output("mount", ["-t", "tmpfs", "-o", "size=32k", "reeve-test", disk]);
  t.teardown(() => runSync("umount", ["-l", disk]));
  return { disk, umount: () => void output("umount", [disk]) };
}

const pairOf = (processes: number[]): number[] | false => processes.length === 2 && processes;

function isShellIn(pid: string, directory: string): boolean {
  const words = contentOf(pid, "cmdline").split("\0");
  return words.at(-2)?.startsWith(join(directory, "awf-")) === true && words[1] === "-c";
}

const hasMount = (pid: number, path: string): boolean =>
  contentOf(String(pid), "mountinfo").includes(` ${path} `);

/** Empty if the process has ended. */
function contentOf(pid: string, name: string): string {
  try {
    return readFileSync(join("/proc", pid, name), "utf8");
  } catch {
    return "";
  }
}
