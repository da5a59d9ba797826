// Processes of a test run, as Linux shows them in /proc; elsewhere there are none.
import { readdirSync, readFileSync } from "node:fs";

/** Of every process that can be read: pid → { pid, parent, session, start }, times in ticks. */
export function allProcesses() {
  const found = new Map();
  for (const pid of numbersIn("/proc")) {
    const stat = read(`/proc/${pid}/stat`);
    // The name in parentheses may contain anything.
    const [state, parent, , session, , , , , , , , , , , , , , , , start] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ");
    // A dead process that its parent has not collected is no leftover.
    if (start !== undefined && state !== "Z")
      found.set(pid, { pid, parent: Number(parent), session: Number(session), start });
  }
  return found;
}

export const commandLine = (pid) =>
  read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 300) ||
  read(`/proc/${pid}/comm`).trim();

/** Whether a process was started with this variable: `NAME=value`. */
export const hasVariable = (pid, variable) =>
  `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${variable}\0`);

/** What all files of a run share, such as a database server, ends with the run. */
export const SHARED = "REEVE_TEST_SHARED=1";

/** All descendants of a process over time, those included that left it: it must be looked at now and then. */
export class Family {
  #root;
  #variable;
  #excepted;
  /** pid → start */
  #members = new Map();

  /** `variable`: what all members have in their environment that did not replace it; `excepted`: what no member has. */
  constructor(root, variable, excepted) {
    this.#root = root;
    this.#variable = variable;
    this.#excepted = excepted;
  }

  /** Adds a process that lives. */
  add(pid, processes) {
    const found = processes.get(pid);
    if (found && !(this.#excepted && hasVariable(pid, this.#excepted)))
      this.#members.set(pid, found.start);
  }

  /** Members that live, without the root. */
  living(processes = allProcesses(), { thorough = false } = {}) {
    for (const [pid, start] of this.#members)
      if (processes.get(pid)?.start !== start) this.#members.delete(pid);
    const belongs = ({ pid, parent, session }) =>
      parent === this.#root ||
      this.#members.has(parent) ||
      (session !== pid && this.#members.has(session));
    for (let more = true; more; ) {
      more = false;
      for (const each of processes.values()) {
        if (this.#members.has(each.pid) || each.pid === this.#root) continue;
        if (!belongs(each) && !(thorough && hasVariable(each.pid, this.#variable))) continue;
        if (this.#excepted && hasVariable(each.pid, this.#excepted)) continue;
        this.#members.set(each.pid, each.start);
        more = true;
      }
    }
    // Between fork and exec a process has the variables of its parent.
    if (thorough && this.#excepted)
      for (const pid of this.#members.keys())
        if (hasVariable(pid, this.#excepted)) this.#members.delete(pid);
    return [...this.#members.keys()];
  }
}

export function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

function numbersIn(directory) {
  try {
    return readdirSync(directory).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
