/** Pull requests of updates, and what they wait for. */
import {
  LEAST,
  type ListColumn,
  manyLines,
  oneLine,
  pairs,
  relative,
  stateStyle,
  stateText,
  stateWord,
  type Theme,
  type View,
  when,
  wrapped,
} from "reeve/cli";
import type { UpdatePull } from "./screen-data.js";

const updatedAt = (pull: UpdatePull): number => Date.parse(pull["updated-at"]);

const mergeText = (pull: UpdatePull): string =>
  pull.note ?? pull["automerge-reason"] ?? stateWord(pull.automerge);

export function pullColumns(theme: Theme, now: number): ReadonlyArray<ListColumn<UpdatePull>> {
  return [
    {
      title: "#",
      cell: ({ number }) => String(number),
      value: ({ number }) => -number,
      align: "right",
      least: 3,
    },
    {
      title: "STATE",
      cell: ({ state }) => stateWord(state),
      paint: (text, { state }) => theme.paint(stateStyle(state), text),
      least: 6,
    },
    {
      title: "UPDATED",
      cell: (pull) => relative(updatedAt(pull), now),
      value: (pull) => -updatedAt(pull),
      least: LEAST.when,
      priority: 2,
    },
    { title: "CHECKS", cell: ({ checks }) => stateWord(checks), least: 7, priority: 3 },
    { title: "REPOSITORY", cell: ({ repo }) => repo, shrink: 12, priority: 1 },
    {
      title: "TITLE",
      cell: ({ title, security }) => (security ? `▲ security: ${title}` : title),
      shrink: 20,
    },
    { title: "MERGE", cell: mergeText, shrink: 16, priority: 4 },
  ];
}

export function pullDetail(pull: UpdatePull, { model, theme, width }: View): readonly string[] {
  const { now } = model;
  const { repo, number, title, state, checks, dependencies, body } = pull;
  const dim = (text: string) => theme.paint("dim", text);
  return [
    `${theme.paint("bold", `${oneLine(repo)} #${number}`)}  ${stateText(theme, state)}  ${oneLine(title)}`,
    "",
    ...pairs(
      [
        ["merge", oneLine(mergeText(pull)).slice(0, width * 2)],
        ["checks", stateWord(checks)],
        ["opened", when(Date.parse(pull["created-at"]), now)],
        ["updated", when(updatedAt(pull), now)],
        ...dependencies.map(
          (each) =>
            [
              oneLine(each.name),
              `${oneLine(each.from ?? "new")} → ${oneLine(each.to)} (${oneLine(each["update-type"])})`,
            ] as const,
        ),
      ],
      dim,
    ),
    "",
    ...wrapped(manyLines(body).trimEnd(), width),
  ];
}
