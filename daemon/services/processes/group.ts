/** A process group on its way out. */
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds that the kernel is given to carry out a KILL. */
const patience = 2000;

/** Whether somebody was there to receive it. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (thrown) {
    // EPERM: somebody is there, but not ours to signal (a program that changed its user).
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Resolves when nothing of the group is left: TERM, and KILL after `grace` milliseconds. */
export async function clearGroup(group: number, grace: number): Promise<void> {
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
    if (!signalGroup(group, 0)) return true;
    await sleep(pause);
    waited += pause;
  }
  return !signalGroup(group, 0);
}
