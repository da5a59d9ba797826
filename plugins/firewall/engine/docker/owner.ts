/** The owner label of containers, and the removal of containers whose owner is gone. */
import { readFileSync, readlinkSync } from "node:fs";
import type { EngineApi } from "./api.js";
import { labels } from "./containers.js";

/** The label of this process. */
export function ownerLabel(): string {
  return `${process.pid} ${startOf(process.pid)} ${processNamespace()}`;
}

/** Removes containers of ended runs that were created but never started. Others end by themselves. */
export async function removeAbandonedContainers(api: EngineApi): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [labels.owner] }));
  const containers = await api.ask<
    ReadonlyArray<{ readonly Id: string; readonly Labels: Readonly<Record<string, string>> }>
  >("GET", `/containers/json?all=1&filters=${filters}`);
  const abandoned = containers.filter(({ Labels }) => isGone(Labels[labels.owner] ?? ""));
  await Promise.all(
    abandoned.map(({ Id }) => api.askGently("DELETE", `/containers/${Id}?force=1&v=1`)),
  );
}

/** Only certain for processes of this process namespace. */
function isGone(owner: string): boolean {
  const [pid, start, namespace] = owner.split(" ");
  return namespace === processNamespace() && startOf(Number(pid)) !== start;
}

function processNamespace(): string {
  return readlinkSync("/proc/self/ns/pid");
}

/** In clock ticks since boot; empty if there is no such process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may contain blanks; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
