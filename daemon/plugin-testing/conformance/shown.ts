/** What a plugin promises about what it shows. */
import assert from "node:assert/strict";
import { panelFaults } from "./panel-faults.js";
import type { Trial } from "./trial.js";

export async function showsValidPanels(trial: Trial): Promise<void> {
  await trial.with(async (plugin) => {
    assert.deepEqual(panelFaults(await plugin.panels()), [], "Its panels are not valid.");
    await trial.options.observe(plugin);
    assert.deepEqual(panelFaults(await plugin.panels()), [], "Used, its panels are not valid.");
  });
}

export async function answersForItsHealth(trial: Trial): Promise<void> {
  await trial.with(async (plugin) => {
    const health = await plugin.health();
    assert.ok(health, "It does not run.");
    const { state, reason } = health;
    assert.notEqual(state, "failed", `With a good configuration it says it failed: ${reason}`);
    assert.ok(state === "healthy" || reason, `It is ${state} and does not say why.`);
  });
}

export async function showsNoSecret(trial: Trial): Promise<void> {
  const { observe, edited, secrets = [] } = trial.options;
  await trial.with(async (plugin) => {
    await observe(plugin);
    const before = await plugin.panels();
    const reload = await plugin.reload(edited);
    await observe(plugin);
    const shown = {
      log: plugin.log,
      events: plugin.events,
      panels: [before, await plugin.panels()],
      runs: await plugin.runs(),
      metrics: await plugin.metrics(),
      health: [await plugin.health(), plugin.status],
      diagnostics: reload.text,
      plan: reload.plan,
    };
    for (const [where, what] of Object.entries(shown)) {
      const text = JSON.stringify(what) ?? "";
      const shows = secrets.some((secret) => text.includes(JSON.stringify(secret).slice(1, -1)));
      assert.ok(!shows, `There is a secret in its ${where}.`);
    }
  });
}
