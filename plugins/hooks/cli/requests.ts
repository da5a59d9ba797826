/** Requests to the control routes of hooks. */
import { type Control, Exit, Failure, suggest } from "reeve/cli";
import type { HookList, HookSummary, TaskList, TaskSummary } from "../offline.js";

export const hookArgument = { name: "HOOK", summary: "the name of a hook" };
export const runArgument = {
  name: "RUN",
  summary: "the id of a run; `reeve hook runs` lists them",
};

/** None while no block asks for the plugin. */
export const hooksOf = async (control: Control): Promise<readonly HookSummary[]> =>
  (await control.find<HookList>(""))?.hooks ?? [];

export const tasksOf = async (control: Control): Promise<readonly TaskSummary[]> =>
  (await control.find<TaskList>("/tasks"))?.tasks ?? [];

/** With a suggestion, or the names there are. */
export function unknownHook(name: string, names: readonly string[]): Failure {
  const meant = suggest(name, names);
  const help =
    names.length === 0
      ? "Add a `hook` block."
      : meant === undefined
        ? `Known hooks: ${names.slice(0, 20).join(", ")}.`
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

/** Ids of runs are never names of hooks. */
export const looksLikeRun = (word: string): boolean => /^0[0-9a-z]{19}$/.test(word);
