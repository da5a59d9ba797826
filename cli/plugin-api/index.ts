/** `reeve/cli`: what a plugin needs to bring commands and dashboard screens to `reeve`. */

export type {
  DaemonEvent,
  RunQuery,
  RunRecord,
  RunSummary,
} from "../../daemon/http/control/api.js";
export {
  type Diagnostic,
  format,
  render,
  type Source,
  sanitize,
  suggest,
  toJson,
} from "../../grammar/index.js";
export type { Control } from "../control/client.js";
export { jsonLines } from "../control/lines.js";
export { controlExits, controlOptions } from "../control/option.js";
export { ControlError } from "../control/problem.js";
export { type WatchLine, watch } from "../control/watch.js";
export { conditionLines } from "../print/conditions.js";
export { followRun } from "../print/follow-runs.js";
export { html, type Markup } from "../print/html.js";
export {
  type Pair,
  paintedState,
  stateStyle,
  stateWord,
  writeList,
  writePairs,
  writeTable,
} from "../print/layout.js";
export {
  type BarChart,
  barChart,
  isoTime,
  type ReportColumn,
  reportFacts,
  reportPage,
  reportTable,
} from "../print/report.js";
export { followLogs, logsOf } from "../print/run-logs.js";
export { isOver, runColumns, runStates, showOutput, showRun } from "../print/runs.js";
export { streamNotices } from "../print/stream-notices.js";
export { type TableColumn, table } from "../print/table.js";
export { manyLines, oneLine } from "../print/text.js";
export { absolute, countText, duration, relative, size, when } from "../print/units.js";
export { type ConfigurationBlocks, readBlocks } from "../project/blocks.js";
export { readText, reasonOf, shownPath } from "../project/files.js";
export type { Model } from "../tui/model/model.js";
export { LEAST, runListColumns, runName, runParts, runText } from "../tui/screens/columns.js";
export { panelScreen } from "../tui/screens/panel-screen.js";
export {
  type PanelRow,
  type PanelTable,
  panelColumns,
  tablePanel,
} from "../tui/screens/panel-table.js";
export { runDetail, runFacts, runOutput } from "../tui/screens/run-detail.js";
export { bar } from "../tui/view/charts.js";
export { pairs, wrapped } from "../tui/view/lines.js";
export { type ListColumn, lineList, type ScreenList, tableList } from "../tui/view/list.js";
export { plainTheme, stateText, type Theme } from "../tui/view/theme.js";
export {
  type Argument,
  type Call,
  type Command,
  choice,
  count,
  defineCommand,
  flag,
  json,
  text,
  texts,
} from "./command.js";
export { type BuiltInCliManifest, type CliManifest, defineCli, type PluginCli } from "./define.js";
export { Exit, type ExitCode, Failure } from "./exit.js";
export type { Channel, Output } from "./output.js";
export type { Role, Style } from "./roles.js";
export type { EffectResult, Screen, ScreenKey, View } from "./screen.js";
