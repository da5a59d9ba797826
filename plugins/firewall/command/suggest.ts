/** `awf suggest`: what runs with `--learn` reached, merged from their logs, as a list with reasons or as a diff. */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { isWithin } from "../engine/paths.js";
import { FirewallError } from "../errors.js";
import { readLines } from "../log/lines.js";
import { type LogEntry, parseLine } from "../log/parse.js";
import { discoverSources, findSource, jsonLogOf } from "../log/sources.js";
import { splitFile } from "../policy/lists.js";
import { Messages } from "./messages.js";
import { type ProposedText, unifiedDiff, writeEdit } from "./proposed-text.js";
import { RequestTally } from "./request-tally.js";
import type { SandboxFiles } from "./settings.js";
import { smallestAllowList } from "./smallest-allow-list.js";

const usage = `Usage: awf suggest [--source <path>]... [--json]
         awf suggest [--source <path>]... --allow-domains-file <path> [--write]
         awf suggest [--source <path>]... --config <path> [--sandbox <name>] [--write]

Merges the logs of runs with --learn into an allow list, with the programs that used each
entry, how often, and when last.

  --source <path>              a log or its directory; repeatable (default: every log that awf finds)
  --allow-domains-file <path>  print a diff that adds the missing entries to this file
  --config <path>              print a diff that adds them to a sandbox block of this *.reeve file
  --sandbox <name>             which sandbox block of the file
  --write                      write the file, and print what changed
  --json                       print the list as JSON
`;

interface Suggestion {
  readonly entry: string;
  readonly requests: number;
  readonly programs: readonly string[];
  /** ISO 8601. */
  readonly last: string;
}

/** Runs `awf suggest …` with the arguments after `suggest`. Resolves with the exit code. */
export async function suggest(argv: readonly string[], files: SandboxFiles): Promise<number> {
  const options = readOptions(argv);
  if (options === undefined || options.help) {
    (options ? process.stdout : process.stderr).write(usage);
    return options ? 0 : 1;
  }
  const { json, source, "allow-domains-file": list, config, sandbox, write } = options;
  try {
    const suggestions = suggestionsFrom(logsOf(source));
    if (json || (list ?? config) === undefined) {
      const text = json ? `${JSON.stringify(suggestions, undefined, 2)}\n` : listOf(suggestions);
      process.stdout.write(text);
      return 0;
    }
    let reasons = "";
    const edit =
      list !== undefined
        ? editOfList(list, suggestions)
        : await files.edit(config ?? "", sandbox, ({ allow = [] }) => {
            const missing = missingFrom(allow, suggestions);
            reasons = missing.map((each) => `# ${each.entry}: ${reasonOf(each)}\n`).join("");
            return missing.map(({ entry }) => entry);
          });
    if (write && edit.before !== edit.after) writeEdit(edit);
    const shown = isWithin(edit.path, process.cwd()) ? relative(process.cwd(), edit.path) : "";
    process.stdout.write(reasons + unifiedDiff({ ...edit, path: shown || edit.path }));
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    new Messages("error", { json: json === true }).error(thrown.message);
    return 1;
  }
}

/** Undefined if they do not fit together. */
function readOptions(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        source: { type: "string", multiple: true },
        "allow-domains-file": { type: "string" },
        config: { type: "string" },
        sandbox: { type: "string" },
        write: { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    const { "allow-domains-file": list, config, sandbox, write, json } = values;
    const isFile = (list ?? config) !== undefined;
    const isFit =
      (list === undefined || config === undefined) &&
      (sandbox === undefined || config !== undefined) &&
      (!write || isFile) &&
      !(json && isFile);
    return isFit ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Only the JSON logs have rules and processes. @throws {FirewallError} */
function logsOf(written: readonly string[] | undefined): string[] {
  const sources = written?.map((source) => findSource(source)) ?? discoverSources();
  return [...new Set(sources.map(jsonLogOf).filter((path) => path !== undefined))];
}

interface Use {
  requests: number;
  readonly programs: Set<string>;
  last: number;
}

function suggestionsFrom(logs: readonly string[]): Suggestion[] {
  const tally = new RequestTally();
  const uses = new Map<string, Use>();
  for (const path of logs) {
    for (const line of readLines(path)) {
      const record = parseLine(line);
      if (record?.rule !== "allow-learning") continue;
      tally.add(record);
      count(record, uses);
    }
  }
  return smallestAllowList(tally.allowed).map((entry) => {
    const covered = [...uses].filter(([name]) => covers(entry, name)).map(([, use]) => use);
    return {
      entry,
      requests: covered.reduce((sum, use) => sum + use.requests, 0),
      programs: [...new Set(covered.flatMap(({ programs }) => [...programs]))].sort(),
      last: new Date(Math.max(...covered.map(({ last }) => last)) * 1000).toISOString(),
    };
  });
}

/** Counts the record for the name that it adds to an empty tally. */
function count(record: LogEntry, uses: Map<string, Use>): void {
  const one = new RequestTally();
  one.add(record);
  for (const [name] of one.allowed) {
    const use = uses.get(name) ?? { requests: 0, programs: new Set(), last: 0 };
    use.requests += 1;
    use.last = Math.max(use.last, record.timestamp);
    // A program chooses its name itself.
    const program = (record.comm ?? "").replace(/[^\w.+-]/g, "?");
    if (program !== "" && use.programs.size < mostPrograms) use.programs.add(program);
    uses.set(name, use);
  }
}

const mostPrograms = 20;

const withoutProtocol = (entry: string): string => entry.replace(/^https?:\/\//, "");

/** Whether an entry of a list is about the name, or about a name that it is below. */
function covers(entry: string, name: string): boolean {
  const own = withoutProtocol(entry);
  return name === own || name.endsWith(`.${own}`);
}

function reasonOf({ requests, programs, last }: Suggestion): string {
  const by = programs.length > 0 ? ` by ${programs.join(", ")}` : "";
  return `${requests} request${requests === 1 ? "" : "s"}${by}, last ${last.slice(0, 10)}`;
}

function listOf(suggestions: readonly Suggestion[]): string {
  if (suggestions.length === 0) return "The logs have no requests of runs with --learn.\n";
  const width = Math.max(...suggestions.map(({ entry }) => entry.length));
  const lines = suggestions.map((each) => `${each.entry.padEnd(width)}  ${reasonOf(each)}\n`);
  const list = suggestions.map(({ entry }) => entry).join(",");
  return `${lines.join("")}\nTo allow them: --allow-domains "${list}"\n`;
}

function missingFrom(
  known: readonly string[],
  suggestions: readonly Suggestion[],
): readonly Suggestion[] {
  const isKnown = ({ entry }: Suggestion) =>
    known.some(
      (other) =>
        (other === withoutProtocol(other) || entry.startsWith(other.split("//")[0] ?? "")) &&
        covers(other, withoutProtocol(entry)),
    );
  return suggestions.filter((each) => !isKnown(each));
}

function editOfList(path: string, suggestions: readonly Suggestion[]): ProposedText {
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const missing = missingFrom(splitFile(before ?? ""), suggestions);
  const lines = missing.map((each) => `${each.entry} # ${reasonOf(each)}\n`);
  const gap = before === undefined || before === "" || before.endsWith("\n") ? "" : "\n";
  const after = lines.length > 0 ? `${before ?? ""}${gap}${lines.join("")}` : (before ?? "");
  return { path, before: lines.length > 0 ? before : after, after };
}
