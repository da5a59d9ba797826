/** Settings: the plugin's panels, every watched file with what is wrong in it, who is told, and what changed last. */

import { oneLine } from "../../print/text.js";
import { absolute, countText, relative, when } from "../../print/units.js";
import { changeLines } from "../../settings/show.js";
import type { Model, SettingsView } from "../model/model.js";
import { pairs } from "../view/lines.js";
import { type ListColumn, tableList } from "../view/list.js";
import type { Theme } from "../view/theme.js";
import { LEAST } from "./columns.js";
import { panelScreen } from "./panel-screen.js";
import type { Screen, View } from "./screen.js";

type File = SettingsView["files"][number];
type Finding = File["findings"][number];

interface Row {
  readonly id: string;
  readonly settings: SettingsView;
  readonly file: File;
}

const FILES = 1;

const panels = panelScreen({
  id: "settings",
  title: "Settings",
  short: "Set",
  about: "settings files that are watched, what is wrong in them, and who is told of them",
  plugin: "settings",
  how: "Add a `settings` block to serve settings files.",
});

const isFiles = ({ state }: Pick<View, "state">): boolean => state.tab === FILES;

export const settings: Screen = {
  ...panels,
  tabs: ["Now", "Files"],
  listTitle: (view) => (isFiles(view) ? "Files" : panels.listTitle(view)),
  list: (view) => {
    if (!isFiles(view)) return panels.list(view);
    const { model, theme, state } = view;
    const text = ({ settings: { name }, file: { path, state: is } }: Row) =>
      `${name} ${path} ${is}`;
    const columns = columnsOf(theme, model.now);
    return tableList({ rows: rowsOf(model), columns, id: ({ id }) => id, text, theme }, state);
  },
  empty: (view) => (isFiles(view) ? "No file is watched." : panels.empty(view)),
  enter: (view, id) => (isFiles(view) ? undefined : panels.enter?.(view, id)),
  preview: fileDetail,
  detail: fileDetail,
};

function fileDetail({ model, theme }: View, id: string): readonly string[] {
  const row = rowsOf(model).find((each) => each.id === id);
  if (row === undefined) return [theme.paint("dim", "This file is not watched any more.")];
  return detailLines(row, theme, model.now);
}

const known = new WeakMap<readonly SettingsView[], readonly Row[]>();

function rowsOf({ settings: all }: Model): readonly Row[] {
  let rows = known.get(all);
  if (rows === undefined) {
    rows = all.flatMap((each) =>
      each.files.map((file) => ({ id: `${each.name} ${file.path}`, settings: each, file })),
    );
    known.set(all, rows);
  }
  return rows;
}

const stateWord = ({ state }: File): string => state.replace("_", " ");

const sign = ({ state }: File, theme: Theme): string =>
  state === "good"
    ? theme.paint("green", `● ${state}`)
    : theme.paint(state === "broken" ? "red" : "yellow", `▲ ${state.replace("_", " ")}`);

function columnsOf(theme: Theme, now: number): ReadonlyArray<ListColumn<Row>> {
  return [
    { title: "SETTINGS", cell: ({ settings: { name } }) => name },
    {
      title: "STATE",
      least: LEAST.state,
      cell: ({ file }) => stateWord(file),
      paint: (text, { file }) => theme.paint(file.state === "good" ? "green" : "yellow", text),
    },
    {
      title: "FOUND",
      cell: ({ file }) => String(file.findings.length),
      value: ({ file }) => -file.findings.length,
      align: "right",
    },
    { title: "FROM", cell: ({ file }) => file.origin, priority: 2 },
    {
      title: "REVISION",
      cell: ({ settings: { version } }) => String(version),
      align: "right",
      priority: 1,
    },
    {
      title: "CHANGED",
      cell: ({ settings: { changedAt } }) => relative(changedAt, now),
      value: ({ settings: { changedAt } }) => -changedAt,
      priority: 1,
      least: LEAST.when,
    },
    { title: "FILE", cell: ({ file }) => oneLine(file.path), shrink: 20 },
  ];
}

function detailLines({ settings: of, file }: Row, theme: Theme, now: number): readonly string[] {
  const { name, title, version, changedAt, servers, last, suppressed } = of;
  const dim = (text: string) => theme.paint("dim", text);
  const bold = (text: string) => theme.paint("bold", text);
  return [
    `${bold(oneLine(file.path))}  ${sign(file, theme)}`,
    "",
    ...pairs(
      [
        ["settings", `${name}, ${oneLine(title)}`],
        ["revision", `${version}, ${when(changedAt, now)}`],
        ["quiet", suppressed > 0 ? `${countText(suppressed, "save")} changed nothing` : undefined],
      ],
      dim,
    ),
    "",
    ...(file.findings.length === 0 ? [dim("Nothing is wrong in it.")] : []),
    ...file.findings.flatMap((finding) => findingLines(finding, file, of.lines, theme)),
    ...(file.findings.length === 0 ? [""] : []),
    bold("Servers that are told"),
    ...(servers.length === 0 ? [dim("  None is attached: `reeve settings proxy -- SERVER`.")] : []),
    ...servers.map(
      ({ server, pid, version: given, at }) =>
        `  ${oneLine(server)} (pid ${pid}): revision ${given}, ${relative(at, now)}`,
    ),
    "",
    bold("Last change"),
    ...(last === undefined
      ? [dim("  None since the daemon started.")]
      : [
          `  revision ${last.version}, ${absolute(last.at, now)}`,
          ...changeLines(last.changed).map(indented),
        ]),
  ];
}

const indented = (line: string): string => `  ${line}`;

/** The sentence, and the line it is about with a caret. */
function findingLines(
  { severity, code, message, help, line, column = 1 }: Finding,
  { path }: File,
  lines: SettingsView["lines"],
  theme: Theme,
): readonly string[] {
  const style = severity === "error" ? "red" : "yellow";
  const said = `${theme.paint(style, `${severity}[settings.${code}]`)}: ${oneLine(message)}`;
  const text = line === undefined ? undefined : lines.get(`${path}:${line}`);
  const margin = " ".repeat(String(line ?? "").length);
  const shown =
    text === undefined
      ? []
      : [
          `${line} | ${text.replaceAll("\t", " ")}`,
          `${margin} | ${" ".repeat(column - 1)}${theme.paint(style, "^")}`,
        ];
  return [said, ...shown, ...(help === undefined ? [] : [`${margin} = ${oneLine(help)}`]), ""];
}
