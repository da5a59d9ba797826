/** Names a process for later: also after a restart of the machine, and in directories that containers or machines share. */
import { readFileSync } from "node:fs";
import { link, read } from "./processes.js";

export interface ProcessId {
  readonly pid: number;
  /** When it started, in ticks since the boot. */
  readonly born: string;
  /** The namespace of its number. */
  readonly namespace: string;
  readonly boot: string;
  /** Empty where the system has none, as in many containers. */
  readonly machine: string;
}

/** Of this process. */
export const processId = (): ProcessId => ({
  pid: process.pid,
  born: bornAt(process.pid),
  namespace: link("/proc/self/ns/pid"),
  boot: text("/proc/sys/kernel/random/boot_id"),
  machine: text("/etc/machine-id"),
});

/** `unknown` for a process of another machine or container, which cannot be seen from here. */
export function stateOf({ pid, born, ...of }: ProcessId): "running" | "ended" | "unknown" {
  const { namespace, boot, machine } = processId();
  if (of.boot !== boot) return machine !== "" && of.machine === machine ? "ended" : "unknown";
  if (of.namespace !== namespace) return "unknown";
  const now = bornAt(pid);
  return now !== "" && now === born ? "running" : "ended";
}

/** In ticks since the boot; empty if there is no such process. */
export function bornAt(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function text(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
