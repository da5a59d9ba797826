/** The list of jobs and their details: each job checks one project. */
import {
  absolute,
  bar,
  duration,
  LEAST,
  type ListColumn,
  oneLine,
  pairs,
  relative,
  stateStyle,
  stateText,
  stateWord,
  type Theme,
  type View,
  when,
} from "reeve/cli";
import type { UpdateJob, UpdateOutcome } from "./screen-data.js";

/** Cells of the picture of how far a job is. */
const FAR = 8;

export const timestampOf = (written: string | null): number | undefined =>
  written === null ? undefined : Date.parse(written);

export function jobColumns(theme: Theme, now: number): ReadonlyArray<ListColumn<UpdateJob>> {
  const began = (job: UpdateJob) => Date.parse(job["started-at"]);
  return [
    {
      title: "STATE",
      cell: ({ state }) => stateWord(state),
      paint: (text, { state }) => theme.paint(stateStyle(state), text),
      least: LEAST.state,
    },
    { title: "REPOSITORY", cell: ({ repo }) => repo, shrink: 12 },
    {
      title: "WHEN",
      cell: (job) => relative(began(job), now),
      value: (job) => -began(job),
      least: LEAST.when,
      priority: 1,
    },
    {
      title: "TOOK",
      cell: (job) => tookText(job, now),
      align: "right",
      least: LEAST.duration,
      priority: 2,
    },
    { title: "STAGE", cell: stageText, least: FAR + 10, shrink: 12, priority: 3 },
    { title: "WHY", cell: ({ trigger }) => trigger, shrink: 12, priority: 4 },
    { title: "REASON", cell: ({ reason }) => reason ?? "", shrink: 16, priority: 5 },
  ];
}

function tookText(job: UpdateJob, now: number): string {
  const end = timestampOf(job["finished-at"]);
  const took = duration((end ?? now) - Date.parse(job["started-at"]));
  return end === undefined ? `${took}…` : took;
}

/** The current stage and its progress; for a finished job its result. */
function stageText({ stage, outcomes, state }: UpdateJob): string {
  if (stage) {
    const { name, done, of } = stage;
    return done === undefined || of === undefined || of === 0
      ? name
      : `${bar(done / of, FAR)} ${name} ${done} of ${of}`;
  }
  if (state === "running") return "waiting for its repository";
  const offered = outcomes.filter(({ kind }) => kind === "pull_request").length;
  return `${outcomes.length} looked at, ${offered} offered`;
}

export function jobDetail(job: UpdateJob, { model, theme, width }: View): readonly string[] {
  const { now } = model;
  const dim = (text: string) => theme.paint("dim", text);
  const { id, repo, config, state, trigger, reason, log = [], outcomes } = job;
  const logLines = log.map(({ at, text }) => `  ${dim(absolute(at, now))} ${oneLine(text)}`);
  return [
    `${theme.paint("bold", `Job ${id} of ${oneLine(repo)}`)}  ${stateText(theme, state)}`,
    "",
    ...pairs(
      [
        ["stage", state === "running" ? stageText(job) : undefined],
        ["reason", reason === null ? undefined : oneLine(reason).slice(0, width * 2)],
        ["why", oneLine(trigger)],
        ["config", String(config)],
        ["started", when(Date.parse(job["started-at"]), now)],
        ["took", tookText(job, now)],
      ],
      dim,
    ),
    "",
    theme.paint("bold", "Log"),
    ...logLines,
    ...outcomes.map((outcome) => `  ${outcomeLine(outcome, theme)}`),
    ...(logLines.length + outcomes.length === 0 ? [dim("  Nothing was said yet.")] : []),
  ];
}

function outcomeLine(outcome: UpdateOutcome, theme: Theme): string {
  const { name, kind, from, to, number, reason, why } = outcome;
  const sign = kind === "failed" ? "✗" : kind === "pull_request" ? "●" : "○";
  const style = kind === "failed" ? "fail" : kind === "pull_request" ? "ok" : "dim";
  const versions = [from, to].filter((version) => version !== undefined).join(" → ");
  const said =
    number === undefined ? (why ?? stateWord(reason ?? kind)) : `pull request #${number}`;
  return `${theme.paint(style, sign)} ${oneLine(name)} ${oneLine(versions)}  ${theme.paint("dim", oneLine(said))}`;
}
