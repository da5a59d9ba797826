/**
 * Plugin processes that outlive a killed daemon. A healthy one ends when its pipe breaks; one
 * that hangs is killed by the next daemon. A process id counts only together with its start time.
 */
import { readFileSync } from "node:fs";
import type { Records } from "../../services/contract.js";

export class OrphanProcesses {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Kills processes that an earlier daemon left. Called once. */
  async open(): Promise<void> {
    for (const { key, value } of await this.#records.list<string>({ prefix: "process:" })) {
      const pid = Number(key.slice("process:".length));
      if (identityOf(pid) === value) process.kill(pid, "SIGKILL");
      await this.#records.delete(key);
    }
  }

  async note(pid: number): Promise<void> {
    const identity = identityOf(pid);
    if (identity !== undefined) await this.#records.set(`process:${pid}`, identity);
  }

  async forget(pid: number): Promise<void> {
    await this.#records.delete(`process:${pid}`);
  }
}

/** `undefined` where there is no such process, or no way to tell. */
function identityOf(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in parentheses and may hold anything; the start time is the 20th field behind it.
    const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${boot} ${startTime}`;
  } catch {
    return undefined;
  }
}
