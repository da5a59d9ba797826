// Loaded by ava into every process that runs a test file: tells the runner which file this process runs, gives it a directory
// for temporary files of its own.
import { subscribe } from "node:diagnostics_channel";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { addForeignFiles } from "./environment.mjs";
import "./seed.mjs";

// A person's settings, such as signed commits, are not those of the tests.
Object.assign(process.env, { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" });

const { REEVE_TEST_RUN: run } = process.env;
if (run) {
  const file = relative(process.cwd(), fileURLToPath(test.meta.file));
  process.title = `test ${file}`;
  const temporary = `${run}/${process.pid}`;
  mkdirSync(temporary);
  // As the system's own: every user may use it.
  chmodSync(temporary, 0o1777);
  addForeignFiles(temporary);
  process.env.TMPDIR = temporary;
  process.env.REEVE_TEST_WORKER = String(process.pid);
  writeFileSync(`${run}/workers/${process.pid}`, file);
  reportEnd(`${run}/ended`, file);
  // Asked when it should have ended, or hangs. The reader finds all of the answer or nothing.
  process.on("SIGUSR2", () => {
    writeFileSync(`${temporary}.part`, JSON.stringify(holds()));
    renameSync(`${temporary}.part`, `${temporary}.holds`);
  });
}

/**
 * At its end the process says what it took, which processes it had started, and which rejected promises nothing has handled:
 * ava does not see those after the last test.
 */
function reportEnd(path, file) {
  const children = [];
  subscribe("child_process", ({ process: child }) => children.push(child));
  const unhandled = new Map();
  process.on("unhandledRejection", (reason, promise) => unhandled.set(promise, reason));
  process.on("rejectionHandled", (promise) => unhandled.delete(promise));
  process.on("exit", () => {
    const rejections = [...unhandled.values()].map((reason) => reason?.stack ?? String(reason));
    const started = children.filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    );
    const line = {
      ...{ file, pid: process.pid, processor: processorTime(), rejections },
      children: started.flatMap(({ pid }) => pid ?? []),
    };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  });
}

/** What keeps this process from ending, a line each. */
function holds() {
  const handles = process._getActiveHandles().filter((each) => each.hasRef?.() !== false);
  const known = handles.map(describe);
  // Timers and requests of the file system are counted only.
  const kinds = new Map();
  for (const kind of process.getActiveResourcesInfo()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return [...known, ...[...kinds].map(([kind, count]) => `${count} × ${kind}`)];
}

function describe(handle) {
  const address = (side) =>
    handle[side] && `${handle[side]}:${handle[side.replace("Address", "Port")]}`;
  const words = [
    handle.constructor?.name,
    handle.spawnargs?.join(" "),
    address("localAddress"),
    address("remoteAddress"),
    handle.listening && JSON.stringify(handle.address()),
    handle._handle?.constructor?.name,
    handle.destroyed && "destroyed",
  ];
  return words.filter(Boolean).join(" ");
}

/** Seconds of this process and of the children it has waited for, where Linux tells. */
function processorTime() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [own, system, children, childrensSystem] = fields.slice(11, 15).map(Number);
    // In ticks of 10 ms.
    return (own + system + children + childrensSystem) / 100;
  } catch {
    return process.cpuUsage().user / 1e6;
  }
}
