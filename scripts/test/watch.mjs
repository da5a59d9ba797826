// Watches the files of a run: ends and names those that hang, and what a file leaves behind. Runs in ava's main process, which
// reports what happens in each file.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { remove } from "../../dist/tests/support/remove.js";
import { isForeign, missingForeignFiles } from "./environment.mjs";
import { allProcesses, commandLine, Family, kill, SHARED } from "./processes.mjs";

/** Milliseconds. */
const limits = {
  /** Without any news from a file. */
  silence: Number(process.env.REEVE_TEST_SILENCE ?? 120_000),
  /** From the last test to the end of the process. */
  ending: Number(process.env.REEVE_TEST_ENDING ?? 15_000),
  /** For what a file's process leaves, to end by itself. */
  leaving: 1_000,
  /** For a process to say what holds it. */
  answering: 3_000,
  look: 500,
};

/** `run`: the run's directory. Writes `result.json` there at the end. */
export async function watchRun(run, events) {
  const files = new Map();
  const faults = [];
  const ends = [];
  let stats;

  const fault = (file, reason, processes = []) => {
    faults.push({ file, reason, processes });
    const lines = processes.map((each) => `\n      ${each}`).join("");
    process.stderr.write(`\n  ✘ [runner]: ${file} ${reason}${lines}\n`);
  };

  const timer = setInterval(() => {
    const processes = allProcesses();
    for (const [pid, file] of workersIn(run)) files.get(file)?.runsIn(pid);
    const now = performance.now();
    for (const each of files.values()) {
      if (each.isOver || each.pid === undefined) continue;
      const left = each.family.living(processes);
      const reason = each.hangsAt(now);
      if (reason === undefined) continue;
      each.isOver = true;
      ends.push(
        askWhatHolds(run, each.pid).then((held) => {
          fault(each.file, reason, [...left.map(commandLine), ...held]);
          return killed([each.pid, ...left]);
        }),
      );
    }
  }, limits.look);

  for await (const event of events) {
    if (event.type === "stats") stats = event.stats;
    if (event.testFile === undefined) continue;
    const file = relative(process.cwd(), event.testFile);
    if (!files.has(file)) files.set(file, new TestFile(file));
    const state = files.get(file);
    state.hears(event);
    if (event.type !== "worker-finished" && event.type !== "worker-failed") continue;
    const cannot = ({ message }) => fault(file, "cannot be cleaned up after:", [message]);
    ends.push(ended(state).catch(cannot));
  }
  clearInterval(timer);
  await Promise.all(ends);

  const reported = endsIn(run);
  for (const { file, rejections } of reported) {
    const known = files.get(file)?.rejections ?? 0;
    if (rejections.length > known)
      fault(file, `rejected a promise that nothing handles:\n      ${rejections.join("\n      ")}`);
  }
  const byFile = [...files.values()].map(({ file, seconds }) => ({
    file,
    seconds,
    processor: reported.find((each) => each.file === file)?.processor ?? 0,
  }));
  const { byFile: _, ...totals } = stats ?? {};
  writeFileSync(`${run}/result.json`, JSON.stringify({ stats: totals, faults, byFile }));

  async function ended(state) {
    state.isOver = true;
    state.seconds = (performance.now() - state.begun) / 1000;
    for (const [pid, file] of workersIn(run)) if (file === state.file) state.runsIn(pid);
    if (state.pid === undefined) return;
    const end = performance.now() + limits.leaving;
    const processes = allProcesses();
    for (const { pid, children } of endsIn(run))
      if (pid === state.pid) for (const each of children) state.family.add(each, processes);
    const look = () => state.family.living(allProcesses(), { thorough: true });
    let left = look();
    while (left.length > 0 && performance.now() < end) {
      await sleep(50);
      left = look();
    }
    if (left.length > 0) {
      fault(state.file, "left processes:", left.map(commandLine));
      await killed(left);
    }
    const temporary = `${run}/${state.pid}`;
    // npm keeps compiled code there where the environment names no other place: a command of the product has its own environment.
    const kept = readdirSync(temporary).filter(
      (name) => name !== "node-compile-cache" && !isForeign(name),
    );
    if (kept.length > 0 && !state.hasFailed) fault(state.file, "left temporary files:", kept);
    const removed = missingForeignFiles(temporary);
    if (removed.length > 0) fault(state.file, "removed files of another user:", removed);
    remove(temporary);
    rmSync(`${run}/workers/${state.pid}`, { force: true });
  }
}

/** What keeps a test's process from ending, in its own words (scripts/test/worker.mjs). */
async function askWhatHolds(run, pid) {
  try {
    process.kill(pid, "SIGUSR2");
  } catch {
    return ["it has ended since"];
  }
  const answer = `${run}/${pid}.holds`;
  const end = performance.now() + limits.answering;
  while (!existsSync(answer)) {
    if (performance.now() > end) return ["its main thread does not answer"];
    await sleep(50);
  }
  return JSON.parse(readFileSync(answer, "utf8"));
}

/** Kills processes, and gives them time to be gone: a busy machine ends them later. */
async function killed(pids) {
  for (const pid of pids) kill(pid);
  const end = performance.now() + limits.leaving;
  const live = () => {
    const processes = allProcesses();
    return pids.some((pid) => processes.has(pid));
  };
  while (live() && performance.now() < end) await sleep(20);
}

class TestFile {
  file;
  begun = performance.now();
  seconds = 0;
  pid;
  family;
  isOver = false;
  hasFailed = false;
  /** Unhandled rejections that ava has reported. */
  rejections = 0;
  #pending = 0;
  #heard = performance.now();
  /** When the last test ended. */
  #done;

  constructor(file) {
    this.file = file;
  }

  runsIn(pid) {
    if (this.pid !== undefined) return;
    this.pid = pid;
    this.family = new Family(pid, `REEVE_TEST_WORKER=${pid}`, SHARED);
  }

  hears({ type, skip, todo }) {
    this.#heard = performance.now();
    if (type === "selected-test" && !skip && !todo) this.#pending += 1;
    if (type === "test-passed" || type === "test-failed") {
      this.#pending -= 1;
      this.#done = this.#pending === 0 ? performance.now() : undefined;
    }
    if (type === "unhandled-rejection") this.rejections += 1;
    if (/failed|exception|rejection|process-exit|error/.test(type)) this.hasFailed = true;
  }

  /** Why it is ended, if it is. */
  hangsAt(now) {
    if (this.#done !== undefined && now - this.#done > limits.ending)
      return `still ran ${limits.ending / 1000} s after its last test:`;
    if (now - this.#heard > limits.silence)
      return `made no progress for ${limits.silence / 1000} s:`;
    return undefined;
  }
}

/** [pid, file] of each process that runs a file. */
const workersIn = (run) =>
  readdirSync(`${run}/workers`).map((pid) => [
    Number(pid),
    readFileSync(`${run}/workers/${pid}`, "utf8"),
  ]);

function endsIn(run) {
  try {
    return readFileSync(`${run}/ended`, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
