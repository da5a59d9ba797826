/** `reeve task run`: a task by hand. */
import { controlExits, controlOptions, defineCommand, Exit, Failure } from "reeve/cli";
import { findListed, reportStarted, taskArgument, tasksOf, waitOption } from "./requests.js";

export const command = defineCommand({
  description:
    "Parameters are texts: a number, `true` or `false`, or `a,b` for a list, as the task declares them. With --json: `{ run }` of the control API.",
  arguments: [
    { ...taskArgument, required: true },
    { name: "NAME=VALUE", summary: "a parameter of the task", variadic: true },
  ],
  options: {
    wait: waitOption,
    ...controlOptions,
  },
  examples: [
    { command: "reeve task run smoke env=prod", does: "starts a task with a parameter" },
    { command: "reeve task run smoke --wait", does: "starts it, and prints what it prints" },
  ],
  exits: {
    [Exit.findings]: "there is no such task, it is refused, or with --wait: it failed",
    ...controlExits,
  },
  async run({ arguments: [name = "", ...words], options, output, signal, control }) {
    const { name: task } = findListed("task", await tasksOf(control), name);
    const { run } = await control.post<{ readonly run: string }>("/task/run", {
      task,
      parameters: Object.fromEntries(words.map(parameterIn)),
    });
    return reportStarted(run, { options, output, signal, control });
  },
});

function parameterIn(word: string): readonly [name: string, value: string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new Failure(Exit.usage, `\`${word}\` has no \`=\``, { help: "Write `NAME=VALUE`." });
}
