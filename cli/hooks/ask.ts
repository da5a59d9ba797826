/** What the daemon says of hooks. */
import { suggest } from "../../grammar/suggest.js";
import type { HookList, HookSummary } from "../../plugins/hooks/offline.js";
import type { Control } from "../control/client.js";
import { ControlError } from "../control/problem.js";
import { Exit, Failure } from "../plugin-api/exit.js";

export const hookArgument = { name: "HOOK", summary: "the name of a hook" };
export const runArgument = { name: "RUN", summary: "a run, as `reeve hook runs` names it" };

/** Every hook the daemon serves; none while no block asks for the plugin. */
export async function hooksOf(control: Control): Promise<readonly HookSummary[]> {
  try {
    return (await control.get<HookList>("/v1/hooks")).hooks;
  } catch (thrown) {
    if (thrown instanceof ControlError && thrown.problem.status === 404) return [];
    throw thrown;
  }
}

/** @throws Failure with a guess what was meant */
export function unknownHook(name: string, names: readonly string[]): Failure {
  const meant = suggest(name, names);
  const help =
    names.length === 0
      ? "There is none yet: add a `hook` block."
      : meant === undefined
        ? `There is: ${names.slice(0, 20).join(", ")}.`
        : `Did you mean \`${meant}\`?`;
  return new Failure(Exit.findings, `there is no hook \`${name}\``, { help });
}

/** @throws Failure where there is no such hook */
export async function findHook(control: Control, name: string): Promise<HookSummary> {
  const hooks = await hooksOf(control);
  const plain = name.replace(/^hook\./, "");
  const found = hooks.find((hook) => hook.name === name || hook.subject === name);
  const meant = found ?? hooks.find((hook) => hook.name === plain);
  if (meant) return meant;
  throw unknownHook(
    name,
    hooks.map((hook) => hook.name),
  );
}

/** Runs have ids that no hook is called by. */
export const looksLikeRun = (word: string): boolean => /^0[0-9a-z]{19}$/.test(word);
