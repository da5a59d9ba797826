/** `reeve task run`: a task by hand. */
import {
  controlExits,
  controlOptions,
  defineCommand,
  Exit,
  Failure,
  flag,
  followRun,
  oneLine,
  suggest,
} from "reeve/cli";
import { tasksOf } from "./requests.js";

export const command = defineCommand({
  description:
    "Parameters are texts: a number, `true` or `false`, or `a,b` for a list, as the task declares them. With --json: `{ run }` of the control API.",
  arguments: [
    { name: "TASK", summary: "the name of a task", required: true },
    { name: "NAME=VALUE", summary: "a parameter of the task", variadic: true },
  ],
  options: {
    wait: flag("wait for the end of the run and print its output"),
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
    const task = await taskOf(control, name);
    const { run } = await control.post<{ readonly run: string }>("/task/run", {
      task,
      parameters: Object.fromEntries(words.map(parameterIn)),
    });
    if (options.wait) {
      await followRun(control, await control.run(run), { json: options.json, output, signal });
      const { state } = await control.run(run);
      return state === "succeeded" ? Exit.ok : Exit.findings;
    }
    if (options.json) output.json({ run });
    else output.out.line(`run ${oneLine(run)}`);
    return Exit.ok;
  },
});

function parameterIn(word: string): readonly [name: string, value: string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new Failure(Exit.usage, `\`${word}\` has no \`=\``, { help: "Write `NAME=VALUE`." });
}

async function taskOf(control: Parameters<typeof tasksOf>[0], written: string): Promise<string> {
  const tasks = await tasksOf(control);
  const found = tasks.find(({ name, subject }) => name === written || subject === written);
  if (found) return found.name;
  const names = tasks.map(({ name }) => name);
  const meant = suggest(written, names);
  const known = names.length === 0 ? "Add a `task` block." : `Known: ${names.join(", ")}.`;
  const help = meant === undefined ? known : `Did you mean \`${meant}\`?`;
  throw new Failure(Exit.findings, `there is no task \`${written}\``, { help });
}
