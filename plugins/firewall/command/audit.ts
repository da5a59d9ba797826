/** `awf logs audit`: shows the rule behind each request. */
import { FirewallError } from "../errors.js";
import { readLines } from "../log/lines.js";
import { type LogEntry, parseLine } from "../log/parse.js";
import { jsonEntry, prettyLine } from "../log/render.js";
import { jsonLogOf, type LogSource } from "../log/sources.js";
import { canonicalHostName } from "../policy/name.js";
import type { LogsOptions } from "./logs-options.js";
import { StdoutWriter } from "./stdout-writer.js";

/** Prints the records that pass the filters. Without `access.jsonl` every rule is `unknown`. */
export async function audit(source: LogSource, options: LogsOptions): Promise<number> {
  const matches = filterOf(options);
  const output = new StdoutWriter();
  if (options.format === "markdown") {
    output.write(
      "| Time | Request | Domain | Decision | Rule |\n|------|---------|--------|----------|------|\n",
    );
  }
  for (const line of readLines(jsonLogOf(source) ?? source.file)) {
    const entry = parseLine(line);
    if (!entry || !matches(entry)) continue;
    if (output.write(`${render(entry, options.format)}\n`)) await output.flush();
    if (output.closed) break;
  }
  await output.flush();
  return 0;
}

function filterOf({ rule, domain, decision }: LogsOptions): (entry: LogEntry) => boolean {
  if (decision !== undefined && decision !== "allowed" && decision !== "denied") {
    throw new FirewallError(
      "invalid_decision",
      `Invalid decision: ${decision}. Must be one of: allowed, denied`,
    );
  }
  const name = domain === undefined ? undefined : (canonicalHostName(domain) ?? domain);
  return (entry) =>
    (rule === undefined || ruleOf(entry) === rule) &&
    (name === undefined || entry.domain === name || entry.domain.endsWith(`.${name}`)) &&
    (decision === undefined || entry.isAllowed === (decision === "allowed"));
}

function ruleOf({ rule }: LogEntry): string {
  return rule ?? "unknown";
}

function render(entry: LogEntry, format: string): string {
  if (format === "json") {
    const fields: object = JSON.parse(jsonEntry(entry, { pid: true }));
    const { pattern, reason } = entry;
    return JSON.stringify({ ...fields, rule: ruleOf(entry), pattern, reason });
  }
  const why = entry.pattern ?? entry.reason;
  if (format === "markdown") {
    const cells = [
      new Date(entry.timestamp * 1000).toISOString(),
      `${entry.method} ${entry.statusCode}`,
      entry.domain,
      entry.isAllowed ? "allowed" : "denied",
      ruleOf(entry),
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  }
  const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
  return `${prettyLine(entry, { colour, pid: true })} ${ruleOf(entry)}${why === undefined ? "" : `: ${why}`}`;
}
