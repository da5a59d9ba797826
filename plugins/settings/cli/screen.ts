/** The dashboard screen: panels, watched files with their findings, connected servers, the last change. */
import {
  absolute,
  countText,
  LEAST,
  type ListColumn,
  oneLine,
  pairs,
  panelScreen,
  relative,
  type Screen,
  type Theme,
  tableList,
  type View,
  when,
} from "reeve/cli";
import { loadSettings, type SettingsView } from "./screen-data.js";
import { changeLines } from "./text.js";

type SettingsFile = SettingsView["files"][number];
type FileFinding = SettingsFile["findings"][number];

interface FileRow {
  readonly id: string;
  readonly settings: SettingsView;
  readonly file: SettingsFile;
}

const FILES = 1;

const panels = panelScreen({
  id: "settings",
  title: "Settings",
  short: "Set",
  about: "watched settings files, their findings, and the servers that use them",
  plugin: "settings",
  how: "Add a `settings` block to serve settings files.",
});

const isFiles = ({ state }: Pick<View, "state">): boolean => state.tab === FILES;

type SettingsScreenView = View<readonly SettingsView[]>;

export const settings: Screen<readonly SettingsView[]> = {
  ...panels,
  load: loadSettings,
  document: (data) => data.map(({ lines: _, ...each }) => each),
  tabs: ["Now", "Files"],
  listTitle: (view) => (isFiles(view) ? "Files" : panels.listTitle(view)),
  list: (view) => {
    if (!isFiles(view)) return panels.list(view);
    const { model, data, theme, state } = view;
    const text = ({ settings: { name }, file: { path, state: is } }: FileRow) =>
      `${name} ${path} ${is}`;
    const columns = columnsOf(theme, model.now);
    return tableList({ rows: rowsOf(data), columns, id: ({ id }) => id, text, theme }, state);
  },
  empty: (view) => (isFiles(view) ? "No file is watched." : panels.empty(view)),
  enter: (view, id) => (isFiles(view) ? undefined : panels.enter?.(view, id)),
  preview: fileDetail,
  detail: fileDetail,
};

function fileDetail({ model, data, theme }: SettingsScreenView, id: string): readonly string[] {
  const row = rowsOf(data).find((each) => each.id === id);
  if (row === undefined) return [theme.paint("dim", "This file is no longer watched.")];
  return detailLines(row, theme, model.now);
}

const NONE: readonly SettingsView[] = [];
const known = new WeakMap<readonly SettingsView[], readonly FileRow[]>();

function rowsOf(all: readonly SettingsView[] = NONE): readonly FileRow[] {
  let rows = known.get(all);
  if (rows === undefined) {
    rows = all.flatMap((each) =>
      each.files.map((file) => ({ id: `${each.name} ${file.path}`, settings: each, file })),
    );
    known.set(all, rows);
  }
  return rows;
}

const stateWord = ({ state }: SettingsFile): string => state.replace("_", " ");

const sign = ({ state }: SettingsFile, theme: Theme): string =>
  state === "good"
    ? theme.paint("ok", `✓ ${state}`)
    : theme.paint(state === "broken" ? "fail" : "warn", `▲ ${state.replace("_", " ")}`);

function columnsOf(theme: Theme, now: number): ReadonlyArray<ListColumn<FileRow>> {
  return [
    { title: "SETTINGS", cell: ({ settings: { name } }) => name },
    {
      title: "STATE",
      least: LEAST.state,
      cell: ({ file }) => stateWord(file),
      paint: (text, { file }) => theme.paint(file.state === "good" ? "ok" : "warn", text),
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

function detailLines(
  { settings: of, file }: FileRow,
  theme: Theme,
  now: number,
): readonly string[] {
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
    ...(file.findings.length === 0 ? [dim("It has no findings.")] : []),
    ...file.findings.flatMap((finding) => findingLines(finding, file, of.lines, theme)),
    ...(file.findings.length === 0 ? [""] : []),
    bold("Servers"),
    ...(servers.length === 0
      ? [dim("  None is connected: `reeve settings proxy -- SERVER`.")]
      : []),
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
  { severity, code, message, help, line, column = 1 }: FileFinding,
  { path }: SettingsFile,
  lines: SettingsView["lines"],
  theme: Theme,
): readonly string[] {
  const style = severity === "error" ? "fail" : "warn";
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
