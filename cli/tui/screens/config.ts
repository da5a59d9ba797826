/** The configuration: what runs, what a reload would change, what is wrong with the text, and every generation before. */
import type { GenerationDetail, GenerationSummary } from "../../../daemon/http/control/api.js";
import { renderFindings } from "../../control/findings.js";
import type { Screen, View } from "../../plugin-api/screen.js";
import { commitText, summaryText, triggerText } from "../../print/generation.js";
import { stateStyle, stateWord } from "../../print/layout.js";
import { changesAnything, renderPlan } from "../../print/plan.js";
import { oneLine } from "../../print/text.js";
import { duration, relative, when } from "../../print/units.js";
import type { PendingChange } from "../model/model.js";
import { THREE } from "../view/columns.js";
import { pairs } from "../view/lines.js";
import { type ListColumn, tableList } from "../view/list.js";
import { stateText, type Theme } from "../view/theme.js";
import { LEAST } from "./columns.js";

export const config: Screen = {
  id: "config",
  title: "Config",
  short: "Conf",
  about: "generations, the plan of the pending edit, errors with carets, roll-back",
  keys: [
    {
      keys: ["p"],
      action: "plan",
      does: "say what a reload would change",
      hint: "plan",
    },
    {
      keys: ["r"],
      action: "reload",
      does: "read the configuration now",
      changes: true,
      hint: "reload",
    },
    {
      keys: ["b"],
      action: "rollback",
      does: "run the chosen generation again",
      changes: true,
      hint: "roll back",
    },
  ],
  top: topLines,
  listTitle: () => "Generations",
  list: ({ model, theme, state }) =>
    tableList(
      {
        rows: model.generations,
        columns: columnsOf(theme, model.now),
        id: ({ number }) => String(number),
        name: ({ number }) => `generation ${number}`,
        text: generationText,
        theme,
      },
      state,
    ),
  empty: () => "Nothing has run yet.",
  preview: generationDetail,
  further: ({ model, theme }) => [
    theme.paint("bold", "What a reload would change"),
    ...pendingLines(model.pending, theme),
  ],
  detail: generationDetail,
  propose({ model }, id, action) {
    if (action === "plan") return { effect: { kind: "plan" } };
    if (action === "reload") {
      return { question: "Reload the configuration now?", effect: { kind: "reload" } };
    }
    const number = Number(id);
    const { generation } = model.status ?? {};
    if (generation?.number === number) return `generation ${number} runs already`;
    const found = model.generations.find((each) => each.number === number);
    if (found === undefined) return undefined;
    if (found.state === "rejected") return `generation ${number} never ran`;
    const question = `Run generation ${number} again, until the next edit?`;
    return { question, effect: { kind: "rollback", generation: number } };
  },
};

function generationDetail({ model, theme, width }: View, id: string): readonly string[] {
  const number = Number(id);
  const known = model.generation?.number === number ? model.generation : undefined;
  const listed = model.generations.find((each) => each.number === number);
  // What it was asked for when it was on probation, it may be past by now.
  const generation = known && listed ? { ...known, ...listed } : (known ?? listed);
  if (generation === undefined)
    return [theme.paint("dim", "This generation is not kept any more.")];
  return detailLines(generation, theme, model.now, width);
}

function topLines({ model, theme, width }: View): readonly string[] {
  const { status, pending } = model;
  if (status === undefined) return [];
  const { degraded, generation } = status;
  const dim = (text: string) => theme.paint("dim", text);
  const stale = status.staleSeconds > 0 ? `for ${duration(status.staleSeconds * 1000)}` : undefined;
  return [
    ...pairs(
      [
        ["file", oneLine(status.root)],
        [
          "runs",
          generation && `generation ${generation.number}, ${when(generation.at, model.now)}`,
        ],
        ["commit", commitText(generation?.git)],
        ["degraded", degraded && theme.paint("fail", oneLine(degraded.reason))],
        ["stale", stale && theme.paint("warn", stale)],
      ],
      dim,
      "",
    ),
    "",
    ...(width >= THREE ? [] : [...pendingLines(pending, theme), ""]),
  ];
}

/** What is on disk, compared with what runs. */
export function pendingLines(pending: PendingChange | undefined, theme: Theme): readonly string[] {
  if (pending === undefined) return [theme.paint("dim", "asking what is on disk")];
  if (pending.error !== undefined) return [theme.paint("fail", oneLine(pending.error))];
  const { plan, diagnostics } = pending;
  const found = diagnostics.length === 0 ? [] : linesOf(renderFindings(pending, { colour: false }));
  const change = plan && changesAnything(plan) ? linesOf(renderPlan(plan, theme)) : [];
  if (found.length + change.length > 0) return [...found, ...change];
  return [theme.paint("dim", "What is on disk is what runs.")];
}

const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n");

function columnsOf(theme: Theme, now: number): ReadonlyArray<ListColumn<GenerationSummary>> {
  return [
    {
      title: "NUMBER",
      cell: ({ number }) => String(number),
      align: "right",
      value: ({ number }) => -number,
    },
    {
      title: "STATE",
      cell: ({ state }) => stateWord(state),
      least: 11,
      paint: (text, { state }) => theme.paint(stateStyle(state), text),
    },
    {
      title: "WHEN",
      cell: ({ at }) => relative(at, now),
      value: ({ at }) => -at,
      priority: 1,
      least: LEAST.when,
    },
    { title: "WHY", cell: ({ trigger }) => triggerText[trigger], priority: 2 },
    { title: "CHANGES", cell: ({ summary }) => summaryText(summary), priority: 1, shrink: 12 },
    { title: "COMMIT", cell: ({ git }) => commitText(git), priority: 3 },
    {
      title: "TOOK",
      cell: (generation) => duration(generation.duration),
      value: (generation) => -generation.duration,
      align: "right",
      priority: 4,
    },
    { title: "REASON", cell: ({ reason }) => reason ?? "", shrink: 16, priority: 3 },
  ];
}

const generationText = ({ number, state, trigger, reason, git }: GenerationSummary): string =>
  [number, state, triggerText[trigger], reason, git?.commit].join(" ");

function detailLines(
  generation: GenerationDetail,
  theme: Theme,
  now: number,
  width: number,
): readonly string[] {
  const { number, state, at, trigger, git, reason, plan, diagnostics } = generation;
  const found = renderFindings({ diagnostics, sources: {} }, { colour: false });
  return [
    `${theme.paint("bold", `Generation ${number}`)}  ${stateText(theme, state)}`,
    "",
    ...pairs(
      [
        ["reason", reason && oneLine(reason).slice(0, width * 2)],
        ["when", when(at, now)],
        ["took", duration(generation.duration)],
        ["why", triggerText[trigger]],
        ["commit", git && `${oneLine(git.commit)}${git.dirty ? " and changes since" : ""}`],
        ["text", oneLine(generation.sourceHash)],
      ],
      (text) => theme.paint("dim", text),
    ),
    "",
    ...(diagnostics.length === 0 ? [] : [...linesOf(found), ""]),
    ...(plan ? linesOf(renderPlan(plan, theme)) : [theme.paint("dim", "no plan is kept of it")]),
  ];
}
