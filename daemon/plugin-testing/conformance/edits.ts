/** What a plugin promises about edits. */
import assert from "node:assert/strict";
import { editOf, lookAt } from "./lives.js";
import type { Trial } from "./trial.js";

export async function abortLeavesNoTrace(trial: Trial): Promise<void> {
  const { observe, edited } = trial.options;
  await trial.with(async (plugin) => {
    const [addresses, before] = [plugin.listeners, await observe(plugin)];
    const { outcome, abort } = await plugin.prepare(edited);
    assert.ok(abort, `It refused the edited configuration: ${outcome.reason}\n${outcome.text}`);
    const during = await observe(plugin);
    await abort();
    assert.deepEqual(during, before, "What runs changed while the edit was only prepared.");
    assert.deepEqual(await observe(plugin), before, "The edit was thrown away, and has an effect.");
    assert.deepEqual(
      plugin.listeners,
      addresses,
      "The edit was thrown away, and its address is open.",
    );
    const again = await plugin.reload(edited);
    assert.ok(again.committed, `Prepared again, the edit was refused: ${again.reason}`);
  });
}

export async function commitSwaps(trial: Trial): Promise<void> {
  const fresh = await trial.observed(trial.options.edited);
  const { before, reload, after } = await editOf(trial);
  assert.notDeepEqual(before, fresh, "`observe` sees no difference between the configurations.");
  const { committed, reason, text } = reload;
  assert.ok(committed, `It refused the edited configuration: ${reason}\n${text}`);
  assert.deepEqual(after, fresh, "After the edit it does not do what it does from scratch.");
}

export async function leavesOthersUntouched(trial: Trial): Promise<void> {
  const { kept, keeps } = await editOf(trial);
  assert.deepEqual(keeps, kept, "An edit of one block changed the state of another.");
}

export async function refusesWithLocation(trial: Trial): Promise<void> {
  const { refusal } = await lookAt(trial);
  assert.ok(refusal);
  const { committed, diagnostics, sources } = refusal;
  assert.ok(!committed, "It accepted the configuration that it is to refuse.");
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.notEqual(errors.length, 0, "It refused without saying what is wrong.");
  for (const { message, location } of errors) {
    const source = location && sources.get(location.file);
    const isInside =
      source &&
      0 <= location.start &&
      location.start < location.end &&
      location.end <= source.text.length;
    assert.ok(isInside, `"${message}" is said about no place in the configuration.`);
  }
}

export async function givesEverythingBack(trial: Trial): Promise<void> {
  await trial.with(async (plugin) => {
    const { committed, reason, text } = await plugin.reload("");
    assert.ok(committed, `It refused to have no block: ${reason}\n${text}`);
    const isStopped = () => plugin.status.state === "stopped";
    await plugin.until(isStopped, "it to stop without a block");
    assert.deepEqual(plugin.listeners, [], "Without a block, an address of it is open.");
    const again = await plugin.reload(trial.options.config);
    assert.ok(again.committed, `Configured again, it refused: ${again.reason}\n${again.text}`);
  });
}
