/** Makes a commander program out of commands. Only the one that is used is loaded; of others the name is enough. */
import {
  Argument as CommanderArgument,
  Command as CommanderCommand,
  Option as CommanderOption,
  InvalidArgumentError,
} from "commander";
import type {
  Argument,
  Call,
  Command,
  CommandEntry,
  CommandGroup,
  CommandReference,
  Option,
} from "../plugin-api/command.js";
import { type ExitCode, exitMeanings } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { UsageError } from "./usage-error.js";

/** Called when a command line has been read. */
export type Runner = (
  command: Command,
  call: Pick<Call, "arguments" | "options">,
  plugin: string | undefined,
) => Promise<ExitCode>;

interface ProgramOptions {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly entries: readonly CommandEntry[];
  readonly output: Output;
  readonly run: Runner;
}

/** A program that can read `args`. Reading throws commander's own errors; nothing ends the process. */
export async function parserFor(
  args: readonly string[],
  { name, description, version, entries, output, run }: ProgramOptions,
): Promise<CommanderCommand> {
  const program = styled(new CommanderCommand(name), output)
    .description(description)
    .version(version, "-V, --version", "print the version")
    .addHelpCommand(
      new CommanderCommand("help")
        .argument("[COMMAND...]")
        .description("show how a command is used")
        .helpGroup(`${entries.at(-1)?.heading ?? "Commands"}:`),
    )
    .addHelpText("after", `\nSee \`${name} help COMMAND\` for one of them.`);
  await addEntries(program, entries, args, output, run);
  return program;
}

async function addEntries(
  parent: CommanderCommand,
  entries: readonly CommandEntry[],
  args: readonly string[],
  output: Output,
  run: Runner,
): Promise<void> {
  const [chosen, ...rest] = args;
  for (const entry of entries) {
    const child = styled(parent.command(entry.name), output).description(entry.summary);
    if (entry.heading !== undefined) child.helpGroup(`${entry.heading}:`);
    if (isGroup(entry)) {
      child.helpCommand(false);
      await addEntries(child, entry.entries, entry.name === chosen ? rest : [], output, run);
    } else if (entry.name === chosen) await complete(child, entry, run);
  }
}

export const isGroup = (entry: CommandEntry): entry is CommandGroup => "entries" in entry;

async function complete(
  child: CommanderCommand,
  verb: CommandReference,
  run: Runner,
): Promise<void> {
  const { command } = await verb.load();
  const { description, arguments: positional = [], options = {} } = command;
  if (description !== undefined) child.description(`${verb.summary}\n\n${description}`);
  for (const argument of positional) child.addArgument(argumentOf(argument));
  for (const [name, option] of Object.entries(options)) child.addOption(optionOf(name, option));
  child.addHelpText("after", () => epilogueOf(command));
  child.action(async () => {
    const given: Readonly<Record<string, unknown>> = child.opts();
    const values = Object.entries(options).map(([name, option]) => [
      name,
      without(name, given) ?? given[name] ?? absent(option),
    ]);
    const call = {
      arguments: child.processedArgs.flat().filter((value) => value !== undefined),
      options: Object.fromEntries(values),
    };
    await run(command, call, verb.plugin);
  });
}

/** `--no-follow` is a flag called `noFollow` here, and for commander the absence of `follow`. */
function without(name: string, given: Readonly<Record<string, unknown>>): boolean | undefined {
  const [, first, rest] = /^no([A-Z])(.*)$/.exec(name) ?? [];
  return first === undefined ? undefined : given[first.toLowerCase() + rest] === false;
}

function argumentOf({ name, summary, required, variadic, choices }: Argument): CommanderArgument {
  const shown = `${name}${variadic ? "..." : ""}`;
  const argument = new CommanderArgument(required ? `<${shown}>` : `[${shown}]`, summary);
  return choices ? argument.choices(choices) : argument;
}

function optionOf(name: string, option: Option): CommanderOption {
  const long = `--${longNameOf(name)}${placeholderOf(option)}`;
  const made = new CommanderOption(
    option.short === undefined ? long : `-${option.short}, ${long}`,
    option.summary,
  );
  if (option.kind === "choice") made.choices(option.choices);
  if (option.kind === "count") made.argParser(wholeNumber);
  if (option.kind === "texts") {
    made.argParser((value: string, before: readonly string[] = []) => [...before, value]);
  }
  if ("fallback" in option && option.fallback !== undefined) made.default(option.fallback);
  return made;
}

/** `dryRun` is `dry-run`. */
export const longNameOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What stands behind an option's name: ` <PATH>`. */
function placeholderOf(option: Option): string {
  if (option.kind === "flag") return "";
  return option.kind === "choice" ? " <WORD>" : ` <${option.placeholder}>`;
}

function wholeNumber(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a whole number, 0 or more.");
}

/** `reeve updates accounts`. */
const wordsOf = (command: CommanderCommand): string =>
  command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;

const absent = ({ kind }: Option): unknown =>
  kind === "flag" ? false : kind === "texts" ? [] : undefined;

/** Help as the terminal can show it; commander's errors thrown instead of printed. */
function styled(command: CommanderCommand, { out, err }: Output): CommanderCommand {
  return command
    .exitOverride((error) => {
      throw new UsageError(error, wordsOf(command));
    })
    .allowExcessArguments(false)
    .helpOption("-h, --help", "show this help")
    .configureHelp({ styleTitle: (title) => out.paint("bold", title), sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(out.columns, 100),
      getErrHelpWidth: () => Math.min(err.columns, 100),
      getOutHasColors: () => out.colour,
      getErrHasColors: () => err.colour,
    });
}

/** Examples and exit codes, as lines. */
function epilogueOf({ examples, exits = {} }: Command): string {
  const width = Math.max(...examples.map(({ command }) => command.length));
  const codes = Object.entries({ 0: exitMeanings[0], ...exits });
  return [
    "",
    "Examples:",
    ...examples.map(({ command, does }) => `  ${command.padEnd(width)}  # ${does}`),
    "",
    "Exit codes:",
    ...codes.map(([code, meaning]) => `  ${code.padStart(2)}  ${meaning}`),
  ].join("\n");
}
