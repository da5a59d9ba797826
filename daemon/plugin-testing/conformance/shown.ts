/** What a plugin promises about what it shows. */
import assert from "node:assert/strict";
import { editOf, lookAt } from "./lives.js";
import { panelFaults } from "./panel-faults.js";
import type { Trial } from "./trial.js";

export async function showsValidPanels(trial: Trial): Promise<void> {
  const { unused, used } = await lookAt(trial);
  assert.deepEqual(panelFaults(unused), [], "Its panels are not valid.");
  assert.deepEqual(panelFaults(used), [], "Used, its panels are not valid.");
}

export async function answersForItsHealth(trial: Trial): Promise<void> {
  const { health } = await lookAt(trial);
  assert.ok(health, "It does not run.");
  const { state, reason } = health;
  assert.notEqual(state, "failed", `With a good configuration it says it failed: ${reason}`);
  assert.ok(state === "healthy" || reason, `It is ${state} and does not say why.`);
}

export async function showsNoSecret(trial: Trial): Promise<void> {
  const { secrets = [] } = trial.options;
  const { shown } = await editOf(trial);
  for (const [where, what] of Object.entries(shown)) {
    const text = JSON.stringify(what) ?? "";
    const shows = secrets.some((secret) => text.includes(JSON.stringify(secret).slice(1, -1)));
    assert.ok(!shows, `There is a secret in its ${where}.`);
  }
}

export async function isTheSameEverywhere(trials: readonly Trial[]): Promise<void> {
  const [first, ...others] = trials;
  assert.ok(first);
  const { observed: here } = await lookAt(first);
  for (const other of others) {
    const { observed: there } = await lookAt(other);
    const message: string = `In "${other.isolation}" it does not do what it does in "${first.isolation}".`;
    assert.deepEqual(there, here, message);
  }
}
