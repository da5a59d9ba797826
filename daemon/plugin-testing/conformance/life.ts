/** What a plugin promises about its end, and about coming back. */
import assert from "node:assert/strict";
import { NOT_STOPPED } from "../../host/supervision/stop-instance.js";
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
  const plugin = await trial.start();
  await stopAtWork(trial, plugin);
  const late = plugin.log.find(({ code }) => code === NOT_STOPPED);
  assert.equal(late, undefined, `${late?.message}`);
}

/** Only inline does anything of the plugin live on: elsewhere the worker or the process is ended. */
export async function leavesNothingBehind(trial: Trial): Promise<void> {
  // Resources created once per process do not belong to the plugin.
  await trial.observed();
  const before = held();
  const plugin = await trial.start();
  await stopAtWork(trial, plugin, trial.options.observe);
  const left = await heldResources(before);
  assert.deepEqual(left, [], "Of this it left something that keeps the daemon from ending.");
}

async function stopAtWork(
  { options: { work, grace = 500 } }: Trial,
  plugin: PluginUnderTest,
  first?: (plugin: PluginUnderTest) => Promise<unknown>,
): Promise<void> {
  try {
    await first?.(plugin);
    await work?.(plugin);
  } finally {
    await plugin.stop(AbortSignal.timeout(grace));
  }
}
