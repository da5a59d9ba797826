/** Requests to the control routes of hooks. */
import {
  type Call,
  type Control,
  Exit,
  type ExitCode,
  Failure,
  flag,
  followRun,
  oneLine,
  suggest,
} from "reeve/cli";
import type {
  HookList,
  HookSummary,
  ScheduleList,
  ScheduleSummary,
  TaskList,
  TaskSummary,
  WatchList,
  WatchSummary,
} from "../offline.js";

export const hookArgument = {
  name: "HOOK",
  summary: "the name of a hook",
  complete: async (control: Control) => (await hooksOf(control)).map(({ name }) => name),
};
export const runArgument = {
  name: "RUN",
  summary: "the id of a run; `reeve hook runs` lists them",
  complete: async (control: Control) => runIdsOf(await control.runs({ kind: "hook" })),
};
export const hookOrRunArgument = {
  name: "HOOK|RUN",
  summary: "the name of a hook, or a run",
  complete: async (control: Control) => [
    ...(await hookArgument.complete(control)),
    ...(await runArgument.complete(control)),
  ],
};
export const scheduleArgument = {
  name: "SCHEDULE",
  summary: "the name of a schedule",
  complete: async (control: Control) => (await schedulesOf(control)).map(({ name }) => name),
};
export const watchArgument = {
  name: "WATCH",
  summary: "the name of a watch",
  complete: async (control: Control) => (await watchesOf(control)).map(({ name }) => name),
};
export const taskArgument = {
  name: "TASK",
  summary: "the name of a task",
  complete: async (control: Control) => (await tasksOf(control)).map(({ name }) => name),
};

const runIdsOf = ({ runs }: { readonly runs: ReadonlyArray<{ readonly id: string }> }) =>
  runs.map(({ id }) => id);

/** None while no block asks for the plugin. */
export const hooksOf = async (control: Control): Promise<readonly HookSummary[]> =>
  (await control.find<HookList>(""))?.hooks ?? [];

export const tasksOf = async (control: Control): Promise<readonly TaskSummary[]> =>
  (await control.find<TaskList>("/tasks"))?.tasks ?? [];

export const schedulesOf = async (control: Control): Promise<readonly ScheduleSummary[]> =>
  (await control.find<ScheduleList>("/schedules"))?.schedules ?? [];

export const watchesOf = async (control: Control): Promise<readonly WatchSummary[]> =>
  (await control.find<WatchList>("/watches"))?.watches ?? [];

interface Listed {
  readonly name: string;
  readonly subject: string;
}

/** The task, schedule or watch that a name or a block key means. @throws Failure where there is none */
export function findListed<Found extends Listed>(
  kind: "task" | "schedule" | "watch",
  all: readonly Found[],
  written: string,
): Found {
  const found = all.find(({ name, subject }) => name === written || subject === written);
  if (found) return found;
  const names = all.map(({ name }) => name);
  const meant = suggest(written, names);
  const known = names.length === 0 ? `Add a \`${kind}\` block.` : `Known: ${names.join(", ")}.`;
  const help = meant === undefined ? known : `Did you mean \`${meant}\`?`;
  throw new Failure(Exit.findings, `there is no ${kind} \`${written}\``, { help });
}

export const waitOption = flag("wait for the end of the run and print its output");

/** Prints the id of a run that was started by hand; with `wait` its output, until its end. */
export async function reportStarted(
  run: string,
  {
    options,
    output,
    signal,
    control,
  }: Pick<Call, "output" | "signal" | "control"> & {
    readonly options: { readonly wait: boolean; readonly json: boolean };
  },
): Promise<ExitCode> {
  if (options.wait) {
    await followRun(control, await control.run(run), { json: options.json, output, signal });
    const { state } = await control.run(run);
    return state === "succeeded" ? Exit.ok : Exit.findings;
  }
  if (options.json) output.json({ run });
  else output.out.line(`run ${oneLine(run)}`);
  return Exit.ok;
}

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
