/** `reeve sandbox ask`: the questions of sandboxes with `ask = true`, and answers to them. */
import {
  ControlError,
  controlExits,
  controlOptions,
  defineCommand,
  Exit,
  Failure,
  relative,
  writeTable,
} from "reeve/cli";
import type { QuestionSummary } from "../offline.js";

const answers = ["once", "run", "deny"];

export const command = defineCommand({
  description:
    "A connection to a domain that no list has waits 30 seconds for an answer. `once` allows the waiting connections, `run` the domain until " +
    "the command ends, `deny` denies it until then. An entry in the block's `allow` answers as well, when it is loaded. With --json: the questions as data.",
  arguments: [
    { name: "QUESTION", summary: "the id of a question (default: list them)", required: false },
    { name: "ANSWER", summary: "once, run or deny", required: false },
  ],
  options: controlOptions,
  examples: [
    { command: "reeve sandbox ask", does: "lists open questions" },
    { command: "reeve sandbox ask 1f0c22ab run", does: "allows the domain until the command ends" },
  ],
  exits: {
    [Exit.findings]: "there is no such question, or it cannot have this answer",
    ...controlExits,
  },
  async run({ arguments: [id, answer], options, output, control }) {
    if (id !== undefined) {
      if (answer === undefined || !answers.includes(answer)) {
        throw new Failure(Exit.usage, "an answer is `once`, `run` or `deny`");
      }
      try {
        await control.post(`/questions/${encodeURIComponent(id)}`, { answer });
      } catch (thrown) {
        if (!(thrown instanceof ControlError) || thrown.problem.status >= 500) throw thrown;
        throw new Failure(Exit.findings, thrown.problem.detail ?? "the daemon refused the answer");
      }
      return Exit.ok;
    }
    const found = await control.find<{ readonly questions: readonly QuestionSummary[] }>(
      "/questions",
    );
    const questions = found?.questions ?? [];
    if (options.json) output.json({ questions });
    else if (questions.length === 0) output.err.line("There are no questions.");
    else {
      const now = Date.now();
      writeTable(
        output.out,
        [
          { title: "QUESTION", cell: ({ id }) => id },
          { title: "SANDBOX", cell: ({ sandbox }) => sandbox },
          { title: "DOMAIN", cell: ({ domain }) => domain },
          { title: "PROGRAM", cell: ({ program }) => program ?? "", priority: 1 },
          { title: "ASKED", cell: ({ since }) => relative(since, now) },
        ],
        questions,
      );
    }
    return Exit.ok;
  },
});
