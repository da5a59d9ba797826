/** A process group on its way out. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds that the kernel is given to carry out a KILL. */
const patience = 2000;

/** Whether a process received it. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (thrown) {
    // EPERM: a process exists, but may not be signaled (a program that changed its user).
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

export const isGroupAlive = (group: number): boolean => signalGroup(group, 0);

export function killGroup(group: number): void {
  signalGroup(group, "SIGKILL");
}

/** Resolves when nothing of the group is left: TERM, and KILL after `grace` milliseconds. */
export async function terminateGroup(group: number, grace: number): Promise<void> {
  if (!signalGroup(group, 0)) return;
  signalGroup(group, "SIGTERM");
  // A stopped process would not hear it.
  signalGroup(group, "SIGCONT");
  if (await gone(group, grace)) return;
  signalGroup(group, "SIGKILL");
  await gone(group, patience);
}

async function gone(group: number, within: number): Promise<boolean> {
  let waited = 0;
  for (let pause = 2; waited < within; pause = Math.min(pause * 2, 50)) {
    if (!signalGroup(group, 0) || (waited > 5 && onlyDead(group))) return true;
    await sleep(pause);
    waited += pause;
  }
  return !signalGroup(group, 0) || onlyDead(group);
}

/** Whether only zombies are left, which their parent has not reaped. Needs /proc. */
function onlyDead(group: number): boolean {
  const states = readableEntries("/proc").flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? statOf(entry) : "";
    const [, state, pgrp] = /\) (\S) \d+ (\d+) /.exec(stat) ?? [];
    return Number(pgrp) === group ? [state] : [];
  });
  return states.length > 0 && states.every((state) => state === "Z" || state === "X");
}

function readableEntries(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function statOf(process: string): string {
  try {
    return readFileSync(`/proc/${process}/stat`, "utf8");
  } catch {
    return "";
  }
}
