/** What a plugin promises about its end, and about coming back. */
import assert from "node:assert/strict";
import type { PluginUnderTest } from "../plugin-under-test.js";
import { held, heldResources } from "./held-resources.js";
import type { Trial } from "./trial.js";

export async function survivesACrash(trial: Trial): Promise<void> {
  await goesOn(trial, "a crash", (plugin) => plugin.crash());
}

export async function survivesARestart(trial: Trial): Promise<void> {
  await goesOn(trial, "a restart", (plugin) => plugin.restart());
}

async function goesOn(
  trial: Trial,
  what: string,
  happen: (plugin: PluginUnderTest) => Promise<void>,
): Promise<void> {
  const { observe } = trial.options;
  await trial.with(async (plugin) => {
    const before = await observe(plugin);
    await happen(plugin);
    assert.deepEqual(await observe(plugin), before, `After ${what} it does something else.`);
  });
}

export async function stopsInTime(trial: Trial): Promise<void> {
  const { work, stopWithin = 5_000 } = trial.options;
  const plugin = await trial.start();
  const enough = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    await work?.(plugin);
    timer = setTimeout(() => enough.abort(new Error("It takes too long.")), stopWithin);
  } finally {
    await plugin.stop(enough.signal);
    clearTimeout(timer);
  }
  assert.ok(!enough.signal.aborted, `It had not stopped after ${stopWithin} ms and was cut off.`);
}

/** Only inline does anything of the plugin live on: elsewhere the worker or the process is ended. */
export async function leavesNothingBehind(trial: Trial): Promise<void> {
  const { observe, work, stopWithin = 5_000 } = trial.options;
  // Resources created once per process do not belong to the plugin.
  await trial.observed();
  const before = held();
  const plugin = await trial.start();
  try {
    await observe(plugin);
    await work?.(plugin);
  } finally {
    await plugin.stop(AbortSignal.timeout(stopWithin));
  }
  const left = await heldResources(before);
  assert.deepEqual(left, [], "Of this it left something that keeps the daemon from ending.");
}
