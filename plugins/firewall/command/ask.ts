/** `awf ask`: lists the questions of runs with `--ask`, and answers one from another terminal. */
import { recordsDirectory } from "../sandbox/run-records.js";
import { askRuns, type QuestionRequest } from "./question-socket.js";

const usage = `Usage: awf ask [<question> once|run|allow|deny] [--json]

Lists the questions of your runs with --ask, or answers one.

  once   allow the waiting connections
  run    allow the domain until the command ends
  allow  the same, and write it to the file of --allow-domains-file or the block of --config
  deny   deny it until the command ends
`;

const answers = ["once", "run", "allow", "deny"];

/** Runs `awf ask …` with the arguments after `ask`. Resolves with the exit code. */
export async function askCommand(argv: readonly string[]): Promise<number> {
  const json = argv.includes("--json");
  const [id, text, ...rest] = argv.filter((word) => word !== "--json");
  const isHelp = id === "-h" || id === "--help";
  const isList = id === undefined;
  const isAnswer = text !== undefined && answers.includes(text) && rest.length === 0;
  if (isHelp || !(isList || isAnswer)) {
    (isHelp ? process.stdout : process.stderr).write(usage);
    return isHelp ? 0 : 1;
  }
  const request: QuestionRequest = isAnswer && id !== undefined ? { answer: { id, text } } : {};
  const replies = await askRuns(recordsDirectory() ?? "", request);
  if (isAnswer) return report(replies.map(({ problem }) => problem));
  const questions = replies.flatMap((reply) => reply.questions);
  const lines = questions.map(
    ({ id, domain, protocol, program }) =>
      `${id}  ${protocol}://${domain}  ${(program ?? "").replace(/[^\x20-\x7e]/g, "?")}`,
  );
  if (json) process.stdout.write(`${JSON.stringify({ questions }, undefined, 2)}\n`);
  else if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  else process.stderr.write("There are no questions.\n");
  return 0;
}

type Problem = { readonly code: string; readonly message: string } | undefined;

/** One run has the question; the others know nothing of it. */
function report(problems: readonly Problem[]): number {
  if (problems.includes(undefined)) return 0;
  const problem = problems.find((each) => each?.code !== "unknown_question") ?? problems[0];
  const none = "There is no such question. It may have been answered or have expired.";
  process.stderr.write(`[ERROR] ${problem?.message ?? none}\n`);
  return 1;
}
