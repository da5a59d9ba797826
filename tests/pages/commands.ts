/** `docs/cli.md`, made from the commands. */

import { optionsOf } from "../../cli/commands/completion/words.js";
import type { Argument, Command, CommandEntry } from "../../cli/plugin-api/command.js";
import { exitMeanings } from "../../cli/plugin-api/exit.js";
import { type CommandDescription, describeAll } from "../../cli/program/describe.js";

const INTRODUCTION = `# Commands

<!-- Generated from the commands by \`UPDATE_DOCS=1 npm test -- dist/tests/pages/**\`. -->

\`reeve COMMAND --help\` prints the same in a terminal. Results go to standard output, everything else to standard error;
with \`--json\` standard output is JSON and nothing else. Colours are for terminals: \`NO_COLOR=1\` turns them off, \`FORCE_COLOR=1\` on.

A FILE is the root file of a configuration or the directory of a \`main.reeve\`; left out, it is \`./main.reeve\`.
`;

const CI = `## In CI

\`\`\`sh
reeve fmt --check                        # every file is formatted
reeve check --strict --format github     # no errors or warnings, tests pass; annotates the lines
reeve plan --against git:origin/main     # what merging would change, for reviewers
\`\`\`

Secrets are not needed for any of these, and nothing is started.`;

export async function commandsPage(entries: readonly CommandEntry[]): Promise<string> {
  const described = await describeAll(entries);
  const commands = described.filter((each): each is Complete => each.command !== undefined);
  const parts = [
    INTRODUCTION,
    table(
      ["Command", ""],
      commands.map(({ path, summary }) => [link(path), summary]),
    ),
    exitTable(),
    CI,
    ...commands.map(section),
  ];
  return `${parts.map((part) => part.trim()).join("\n\n")}\n`;
}

type Complete = CommandDescription & { readonly command: Command };

const titleOf = (path: readonly string[]): string => `reeve ${path.join(" ")}`;

const link = (path: readonly string[]): string =>
  `[\`${titleOf(path)}\`](#${titleOf(path).replaceAll(" ", "-")})`;

function exitTable(): string {
  const rows = Object.entries(exitMeanings).map(([code, meaning]) => [code, meaning]);
  return `## Exit codes\n\n${table(["Code", ""], rows)}`;
}

function section(described: Complete): string {
  const { path, summary, command } = described;
  const { arguments: positional = [], examples, exits = {} } = command;
  const usage = [titleOf(path), "[options]", ...positional.map(usageOf)].join(" ");
  const width = Math.max(...examples.map((example) => example.command.length));
  const shown = examples.map((example) => `${example.command.padEnd(width)}  # ${example.does}`);
  return [
    `## ${titleOf(path)}`,
    `\`${usage}\`: ${summary}.`,
    ...(command.description === undefined ? [] : [command.description]),
    ...(positional.length === 0
      ? []
      : [
          table(
            ["Argument", ""],
            positional.map((each) => [`\`${each.name}\``, aboutArgument(each)]),
          ),
        ]),
    optionTable(described),
    `\`\`\`sh\n${shown.join("\n")}\n\`\`\``,
    ...(Object.keys(exits).length === 0
      ? []
      : [
          table(
            ["Exit code", ""],
            Object.entries(exits).map(([code, when]) => [code, when]),
          ),
        ]),
  ].join("\n\n");
}

function usageOf({ name, required, variadic }: Argument): string {
  const shown = `${name}${variadic ? "..." : ""}`;
  return required ? `<${shown}>` : `[${shown}]`;
}

const aboutArgument = ({ summary, choices }: Argument): string =>
  choices ? `${summary}: ${choices.map((word) => `\`${word}\``).join(", ")}` : summary;

function optionTable(described: Complete): string {
  const given = Object.values(described.command.options ?? {});
  const rows = optionsOf(described).map(({ long, short, summary, value }, index) => {
    const option = given[index];
    const name = value ? `${long} ${value.name}` : long;
    const words = value?.wanted.kind === "words" ? [listed(value.wanted.words)] : [];
    const fallback = option && "fallback" in option && option.fallback !== undefined;
    const byDefault = fallback ? [`\`${option.fallback}\` by default`] : [];
    return [
      short === undefined ? `\`${name}\`` : `\`${name}\`, \`${short}\``,
      [summary, ...words, ...byDefault].join("; "),
    ];
  });
  return table(["Option", ""], rows);
}

const listed = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
