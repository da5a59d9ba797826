/** Whose run a container belongs to, and which runs are over. */
import { readFileSync, readlinkSync } from "node:fs";
import type { EngineApi } from "./api.js";
import { labels } from "./containers.js";

/** This process, as a label. */
export function ownerLabel(): string {
  return `${process.pid} ${startOf(process.pid)} ${processNamespace()}`;
}

/** Removes containers of runs whose awf is gone: those that were made and never started. Others end by themselves. */
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

/** Only said of processes that could be seen from here. */
function isGone(owner: string): boolean {
  const [pid, start, namespace] = owner.split(" ");
  return namespace === processNamespace() && startOf(Number(pid)) !== start;
}

function processNamespace(): string {
  return readlinkSync("/proc/self/ns/pid");
}

/** In clock ticks since the machine's start; empty when there is no such process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may have blanks; the start time is the 20th field behind it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
