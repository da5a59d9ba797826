/** `reeve history`: generations and their outcomes. */
import type { GenerationDetail, GenerationSummary } from "../../daemon/http/control/api.js";
import { connect } from "../control/client.js";
import { generationNumber, generationNumbers } from "../control/generation-number.js";
import { controlExits, controlOptions } from "../control/option.js";
import { type Call, count, defineCommand } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import type { Channel } from "../plugin-api/output.js";
import { commitText, summaryText, triggerText } from "../print/generation.js";
import { paintedState, stateStyle, stateWord, writePairs, writeTable } from "../print/layout.js";
import { changesAnything, renderPlan } from "../print/plan.js";
import type { TableColumn } from "../print/table.js";
import { oneLine } from "../print/text.js";
import { countText as counted, duration, relative, when } from "../print/units.js";

const options = { limit: count("N", "at most this many", { fallback: 20 }), ...controlOptions };

export const command = defineCommand({
  description:
    "Without a number: the newest generations. With one: its changes, or why it was rejected. " +
    "With --json: the `GenerationList` or the `GenerationDetail` of the control API.",
  arguments: [{ name: "N", summary: "number of one generation", complete: generationNumbers }],
  options,
  examples: [
    { command: "reeve history", does: "lists the newest generations" },
    { command: "reeve history 12", does: "shows what generation 12 changed" },
  ],
  exits: { [Exit.findings]: "there is no such generation", ...controlExits },
  async run(call) {
    const [number] = call.arguments;
    if (number === undefined) await list(call);
    else await single(generationNumber(number), call);
    return Exit.ok;
  },
});

type HistoryCall = Call<typeof options>;

async function list({ options, output }: HistoryCall): Promise<void> {
  const { limit } = options;
  if (limit < 1 || limit > 200) {
    throw new Failure(Exit.usage, "--limit is a number from 1 to 200");
  }
  const { generations } = await connect(options).generations({ limit });
  if (options.json) output.json({ generations });
  else writeTable(output.out, columnsFor(output.out, Date.now()), generations);
}

function columnsFor(out: Channel, now: number): ReadonlyArray<TableColumn<GenerationSummary>> {
  return [
    { title: "N", cell: ({ number }) => String(number), align: "right" },
    {
      title: "STATE",
      cell: ({ state }) => stateWord(state),
      paint: (text, { state }) => out.paint(stateStyle(state), text),
    },
    { title: "WHEN", cell: ({ at }) => relative(at, now) },
    { title: "WHY", cell: ({ trigger }) => triggerText[trigger], priority: 3 },
    { title: "COMMIT", cell: ({ git }) => commitText(git), priority: 4 },
    { title: "TOOK", cell: ({ duration: took }) => duration(took), align: "right", priority: 5 },
    { title: "CHANGES", cell: outcomeText, shrink: 16, priority: 1 },
  ];
}

/** Its changes, or why there are none. */
function outcomeText({ summary, reason, diagnostics }: GenerationSummary): string {
  if (reason !== undefined) return reason;
  const findings = diagnostics.length === 0 ? "" : `; ${counted(diagnostics.length, "finding")}`;
  return `${summaryText(summary)}${findings}`;
}

async function single(number: number, { options, output }: HistoryCall): Promise<void> {
  const generation = await connect(options).generation(number);
  if (options.json) output.json(generation);
  else show(output.out, generation, Date.now());
}

function show(out: Channel, generation: GenerationDetail, now: number): void {
  const { number, state, trigger, git, at, duration: took, reason, sourceHash, plan } = generation;
  out.line(`${out.paint("bold", `generation ${number}`)}  ${paintedState(out, state)}`);
  const files = git?.dirty ? ", files differ from it" : "";
  writePairs(
    out,
    [
      ["reason", reason && oneLine(reason)],
      ["when", when(at, now)],
      ["why", triggerText[trigger]],
      ["took", duration(took)],
      ["commit", git && `${oneLine(git.commit)}${files}`],
      ["source", oneLine(sourceHash)],
    ],
    "  ",
  );
  for (const { severity, code, message, file, range } of generation.diagnostics) {
    const position = range
      ? `${file}:${range.start.line}:${range.start.column}: `
      : file && `${file}: `;
    out.line(oneLine(`${position ?? ""}${severity}[${code}]: ${message}`));
  }
  if (plan && changesAnything(plan)) {
    out.line();
    out.write(renderPlan(plan, { paint: out.paint.bind(out) }));
  }
}
