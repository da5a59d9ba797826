/** `awf logs`, `awf logs stats`, `awf logs summary`: read logs of any size in constant memory. */
import { FirewallError } from "../errors.js";
import { followLines } from "../log/follow.js";
import { readLines, readPieces } from "../log/lines.js";
import { type LogOverview, overviewOf } from "../log/overview.js";
import { type LogEntry, parseLine } from "../log/parse.js";
import {
  jsonEntry,
  jsonStatistics,
  markdownStatistics,
  prettyLine,
  prettyStatistics,
} from "../log/render.js";
import { discoverSources, findSource, jsonLogOf, type LogSource } from "../log/sources.js";
import { countLog } from "../log/statistics.js";
import { audit } from "./audit.js";
import { type LogsOptions, readLogsOptions } from "./logs-options.js";
import { Messages } from "./messages.js";
import { StdoutWriter } from "./stdout-writer.js";

/** Writes pages; given by the program, for a plugin has no means of its own for them. */
export interface LogPages {
  summary(overview: LogOverview): Promise<string>;
}

/** Runs `awf logs …` with the arguments after `logs`. Resolves with the exit code. */
export async function logsCommand(argv: readonly string[], pages: LogPages): Promise<number> {
  const messages = new Messages();
  try {
    const options = readLogsOptions(argv);
    if ("exitCode" in options) {
      (options.exitCode === 0 ? process.stdout : process.stderr).write(`${options.text}\n`);
      return options.exitCode;
    }
    if (options.list) return list();
    return await show(options, messages, pages);
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    messages.error(thrown.message);
    return 1;
  }
}

async function show(options: LogsOptions, messages: Messages, pages: LogPages): Promise<number> {
  if (options.withPid && !options.follow) {
    throw new FirewallError(
      "pid_needs_follow",
      "--with-pid only works with real-time streaming (-f)",
    );
  }
  const source = findSource(options.source);
  if (saysSource(options)) announce(source, messages);
  try {
    if (options.view === "audit") return await audit(source, options);
    if (options.format === "html") return await page(source, pages);
    if (options.view !== "lines") return count(source, options);
    return options.follow ? await follow(source, options, messages) : await print(source, options);
  } catch (thrown) {
    const what = options.view === "lines" ? "stream" : "load";
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new FirewallError("log_unreadable", `Failed to ${what} logs: ${reason}`);
  }
}

/** Output for a program stays free of messages. */
function saysSource({ view, format }: LogsOptions): boolean {
  if (view === "summary") return format === "pretty";
  return view === "lines" || format !== "json";
}

function announce({ kind, directory, date }: LogSource, messages: Messages): void {
  if (kind === "running") {
    messages.info(`Using live logs from running container: ${directory}`);
    return;
  }
  messages.info(`Using preserved logs from: ${directory}`);
  if (kind !== "given") messages.info(`Log timestamp: ${new Date(date).toLocaleString("en-US")}`);
}

function list(): number {
  const sources = discoverSources();
  if (sources.length === 0) {
    process.stdout.write(
      "No log sources found. Run awf with a command first to generate logs.\n\nTip: Set AWF_LOGS_DIR environment variable to auto-discover logs from a custom directory.\nExample: export AWF_LOGS_DIR=/tmp/my-logs\n",
    );
    return 0;
  }
  process.stdout.write("Available log sources:\n");
  for (const { kind, directory, date } of sources) {
    const note = kind === "running" ? "live container" : new Date(date).toLocaleString("en-US");
    process.stdout.write(`  [${kind}] ${directory} (${note})\n`);
  }
  return 0;
}

function count(source: LogSource, { format }: LogsOptions): number {
  const statistics = countLog(readPieces(source.file));
  const render = { json: jsonStatistics, markdown: markdownStatistics, pretty: prettyStatistics }[
    format
  ];
  process.stdout.write((render ?? prettyStatistics)(statistics));
  return 0;
}

/** The JSON log has the programs; without it there are user agents. */
async function page(source: LogSource, pages: LogPages): Promise<number> {
  const output = new StdoutWriter();
  const overview = overviewOf(readLines(jsonLogOf(source) ?? source.file));
  output.write(await pages.summary(overview));
  await output.flush();
  return 0;
}

async function print(source: LogSource, options: LogsOptions): Promise<number> {
  const output = new StdoutWriter();
  const render = renderer(options);
  for (const line of readLines(source.file)) {
    if (output.write(`${render(line)}\n`)) await output.flush();
    if (output.closed) return 0;
  }
  await output.flush();
  return 0;
}

async function follow(
  source: LogSource,
  options: LogsOptions,
  messages: Messages,
): Promise<number> {
  const isJoined = options.withPid === true && options.format !== "raw";
  const jsonLog = isJoined ? jsonLogOf(source) : undefined;
  if (isJoined && (jsonLog === undefined || process.platform !== "linux")) {
    messages.warn("PID tracking not available for this log: no access.jsonl lies beside it");
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const output = new StdoutWriter();
  const render = renderer(options);
  for await (const line of followLines(jsonLog ?? source.file, stop.signal)) {
    output.write(`${render(line)}\n`);
    await output.flush();
    if (output.closed) break;
  }
  return 0;
}

/** Renders one line. A line that is no record passes unchanged, in JSON as the value of `unparsed`. */
function renderer({ format, withPid }: LogsOptions): (line: string) => string {
  if (format === "raw") return (line) => line;
  const pid = withPid === true;
  const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
  const render =
    format === "json"
      ? (entry: LogEntry) => jsonEntry(entry, { pid })
      : (entry: LogEntry) => prettyLine(entry, { colour, pid });
  return (line) => {
    const entry = parseLine(line);
    if (entry) return render(entry);
    return format === "json" ? JSON.stringify({ unparsed: line }) : line;
  };
}
