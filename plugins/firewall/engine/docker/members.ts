/** Finds the processes of a container whose process id is not known yet. */
import { readdirSync, readlinkSync } from "node:fs";

/** All processes in the process namespace of `pid`, without those listed. */
export function processesInNamespaceOf(pid: number, without: readonly number[]): number[] {
  const namespace = namespaceOf(pid);
  if (namespace === undefined) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((other) => other > 0 && !without.includes(other) && namespaceOf(other) === namespace);
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}
