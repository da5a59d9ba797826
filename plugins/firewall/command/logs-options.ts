/** The options of `awf logs [stats|summary|audit]`. */
import { Command, CommanderError } from "commander";
import { FirewallError } from "../errors.js";
import type { ParserReply } from "./options.js";

type LogsView = "lines" | "stats" | "summary" | "audit";

export interface LogsOptions {
  readonly view: LogsView;
  readonly format: string;
  readonly source?: string;
  readonly follow?: boolean;
  readonly list?: boolean;
  readonly withPid?: boolean;
  readonly rule?: string;
  readonly domain?: string;
  readonly decision?: string;
}

interface ViewForm {
  readonly formats: readonly string[];
  readonly usual: string;
  readonly description: string;
}

const views: Readonly<Record<LogsView, ViewForm>> = {
  lines: {
    formats: ["raw", "pretty", "json"],
    usual: "pretty",
    description: "Shows the records of current or earlier runs.",
  },
  stats: {
    formats: ["json", "markdown", "pretty"],
    usual: "pretty",
    description: "Counts requests by domain.",
  },
  summary: {
    formats: ["json", "markdown", "pretty", "html"],
    usual: "markdown",
    description:
      "Counts requests by domain, for the step summary or, as a page, the artifacts of a CI run.",
  },
  audit: {
    formats: ["json", "markdown", "pretty"],
    usual: "pretty",
    description: "Shows which rule decided about each request.",
  },
};

/**
 * Parses the arguments after `awf logs`; the view may precede or follow options. @throws {FirewallError}
 * `invalid_format`
 */
export function readLogsOptions(argv: readonly string[]): LogsOptions | ParserReply {
  const view = viewIn(argv);
  const form = views[view];
  let text = "";
  const say = (more: string) => {
    text += more;
  };
  const program = commandFor(view).configureOutput({ writeOut: say, writeErr: say }).exitOverride();
  try {
    program.parse([...argv], { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { text: text.trimEnd(), exitCode: thrown.exitCode === 0 ? 0 : 1 };
  }
  const operands = program.args.filter((word, index) => !(index === 0 && word === view));
  if (operands.length > 0) {
    return {
      text: `error: unknown command '${operands[0]}'; there are stats, summary and audit`,
      exitCode: 1,
    };
  }
  const read = program.opts<Omit<LogsOptions, "view">>();
  const format = read.format ?? form.usual;
  if (!form.formats.includes(format)) {
    throw new FirewallError(
      "invalid_format",
      `Invalid format: ${format}. Must be one of: ${form.formats.join(", ")}`,
    );
  }
  return { ...read, format, view };
}

/** The first word that is neither an option nor an option's value. */
function viewIn(argv: readonly string[]): LogsView {
  const valued = new Set(["--format", "--source", "--rule", "--domain", "--decision"]);
  const word = argv.find(
    (argument, index) => !argument.startsWith("-") && !valued.has(argv[index - 1] ?? ""),
  );
  return word === "stats" || word === "summary" || word === "audit" ? word : "lines";
}

function commandFor(view: LogsView): Command {
  const { formats, usual, description } = views[view];
  const program = new Command(view === "lines" ? "awf logs" : `awf logs ${view}`)
    .description(description)
    .usage("[options]")
    .helpOption("-h, --help", "print this help")
    .showSuggestionAfterError(false)
    .argument("[view]")
    .allowExcessArguments()
    .option("--format <format>", `${formats.join(", ")} (default: ${usual})`)
    .option(
      "--source <path>",
      'log directory, or "running" for a run that goes on (default: found)',
    );
  if (view === "lines") {
    program
      .option("-f, --follow", "follow the log live (default: false)")
      .option("--list", "list the available log sources (default: false)")
      .option("--with-pid", "add process id and name; needs -f, Linux only (default: false)")
      .addHelpText("after", "\nOther views: awf logs stats, awf logs summary, awf logs audit");
  }
  if (view === "audit") {
    program
      .option("--rule <id>", "only requests that this rule decided")
      .option("--domain <name>", "only this domain and its subdomains")
      .option("--decision <decision>", "only allowed or only denied");
  }
  return program;
}
