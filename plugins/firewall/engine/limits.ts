/** Memory and process limits of a sandbox: its own control group, version 1 or 2. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FirewallError } from "../errors.js";

export interface ResourceLimits {
  readonly memoryBytes?: number | undefined;
  readonly processes?: number | undefined;
}

/** A file of a control group and its value. Some kernels lack optional files. */
interface Setting {
  readonly file: string;
  readonly value: number;
  readonly optional?: boolean;
}

const root = "/sys/fs/cgroup";
/** Processes of the sandbox itself: the namespace's init and bubblewrap outside and inside. */
const keepers = 3;

/** Disposing of the group removes it once it is empty. */
export class ControlGroup implements AsyncDisposable {
  readonly #directories: string[] = [];

  /** Limits the processes and their descendants. @throws {FirewallError} `cannot_limit` */
  constructor(name: string, pids: readonly number[], limits: ResourceLimits) {
    try {
      if (existsSync(join(root, "cgroup.controllers"))) this.#unified(name, pids, limits);
      else this.#separate(name, pids, limits);
    } catch (thrown) {
      this.#remove();
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new FirewallError(
        "cannot_limit",
        `--memory and --pids need a control group that this user may make (${reason}). Run awf as root, or in a delegated scope: systemd-run --user --scope -p Delegate=yes awf …`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The kernel releases the last process a moment after its parent sees it end.
    for (let attempt = 0; attempt < 50 && this.#directories.length > 0; attempt += 1) {
      this.#remove();
      if (this.#directories.length > 0) await sleep(10);
    }
  }

  /**
   * Version 2. Root creates the group at the top; other users next to their own group, which must be delegated to
   * them.
   */
  #unified(
    name: string,
    pids: readonly number[],
    { memoryBytes, processes }: ResourceLimits,
  ): void {
    const own = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "/";
    const parent = process.getuid?.() === 0 ? root : join(root, own, "..");
    const settings: Setting[] = [];
    if (memoryBytes !== undefined) {
      settings.push({ file: "memory.max", value: memoryBytes });
      settings.push({ file: "memory.swap.max", value: 0, optional: true });
    }
    if (processes !== undefined) settings.push({ file: "pids.max", value: processes + keepers });
    this.#make(join(parent, name), pids, settings);
  }

  /** Version 1: a hierarchy for each controller. */
  #separate(
    name: string,
    pids: readonly number[],
    { memoryBytes, processes }: ResourceLimits,
  ): void {
    if (memoryBytes !== undefined) {
      this.#make(join(root, "memory", ownPath("memory"), name), pids, [
        { file: "memory.limit_in_bytes", value: memoryBytes },
        { file: "memory.memsw.limit_in_bytes", value: memoryBytes, optional: true },
      ]);
    }
    if (processes !== undefined) {
      this.#make(join(root, "pids", ownPath("pids"), name), pids, [
        { file: "pids.max", value: processes + keepers },
      ]);
    }
  }

  #make(directory: string, pids: readonly number[], settings: readonly Setting[]): void {
    mkdirSync(directory);
    this.#directories.push(directory);
    for (const { file, value, optional } of settings) {
      if (optional && !existsSync(join(directory, file))) continue;
      writeFileSync(join(directory, file), String(value));
    }
    for (const pid of pids) writeFileSync(join(directory, "cgroup.procs"), String(pid));
  }

  #remove(): void {
    for (const directory of [...this.#directories]) {
      try {
        rmdirSync(directory);
        this.#directories.splice(this.#directories.indexOf(directory), 1);
      } catch {
        // The group is not empty yet.
      }
    }
  }
}

/** This process's group in a controller's hierarchy of version 1. */
function ownPath(controller: string): string {
  for (const line of readFileSync("/proc/self/cgroup", "utf8").split("\n")) {
    const [, controllers = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers.split(",").includes(controller)) return path;
  }
  return "/";
}
