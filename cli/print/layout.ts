/** Tables, pairs and states on one of a command's two streams. */
import { Exit, type ExitCode } from "../plugin-api/exit.js";
import type { Channel, Output } from "../plugin-api/output.js";
import type { Role } from "../plugin-api/roles.js";
import { stateLook } from "./states.js";
import { type TableColumn, table } from "./table.js";
import { oneLine, pad } from "./text.js";

/** Without a terminal nothing is cut. */
function widthOf(channel: Channel): number | undefined {
  return channel.isTerminal ? channel.columns : undefined;
}

/** `indent` stands before every line. */
export function writeTable<Row>(
  channel: Channel,
  columns: ReadonlyArray<TableColumn<Row>>,
  rows: readonly Row[],
  indent = "",
): void {
  const room = widthOf(channel);
  const lines = table(columns, rows, {
    width: room === undefined ? undefined : room - indent.length,
    heading: (text) => channel.paint("bold", text),
  });
  for (const line of lines) channel.line(indent + line);
}

interface ListCall {
  readonly options: { readonly json: boolean };
  readonly output: Output;
}

/** With `--json` the whole `body`, else its rows as a table; `none` on standard error where there are none. */
export function writeList<Row>(
  { options, output }: ListCall,
  body: unknown,
  rows: readonly Row[],
  none: string,
  columns: ReadonlyArray<TableColumn<Row>>,
): ExitCode {
  if (options.json) output.json(body);
  else if (rows.length === 0) output.err.line(none);
  else writeTable(output.out, columns, rows);
  return Exit.ok;
}

export type Pair = readonly [name: string, value: string | undefined];

/** Names and values below each other; what is `undefined` is left out. Values are one line each. */
export function writePairs(channel: Channel, pairs: readonly Pair[], indent = ""): void {
  const given = pairs.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...given.map(([name]) => name.length));
  for (const [name, value = ""] of given) {
    channel.line(`${indent}${channel.paint("dim", pad(name, width))}  ${value}`.trimEnd());
  }
}

/** The role of a state's word, which always stands there too. */
export const stateStyle = (state: string): Role => stateLook(state).role;

/** The word itself, readable: `timed_out` is `timed out`. */
export function stateWord(state: string): string {
  return oneLine(state).replaceAll("_", " ");
}

export function paintedState(channel: Channel, state: string): string {
  return channel.paint(stateStyle(state), stateWord(state));
}
