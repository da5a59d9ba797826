/** Completion for fish, with the summaries of commands and options. */
import type { CommandDescription } from "../../program/describe.js";
import { hasNames } from "./names.js";
import { type CompletedOption, type ExpectedValue, optionsOf, wantedBy } from "./words.js";

type Entries = CommandDescription["entries"];

export function fishScript(described: readonly CommandDescription[], top: Entries): string {
  return `# Completion of reeve for fish:
#   reeve completion fish > ~/.config/fish/completions/reeve.fish

complete -c reeve -f
complete -c reeve -s h -l help -d 'show this help'
complete -c reeve -n __fish_use_subcommand -s V -l version -d 'print the version'
${names("__fish_use_subcommand", [...top, { name: "help", summary: "show how a command is used" }]).join("\n")}
${described.flatMap(lines).join("\n")}
`;
}

const names = (condition: string, entries: Entries): readonly string[] =>
  entries.map(
    ({ name, summary }) =>
      `complete -c reeve -n ${quoted(condition)} -a ${quoted(name)} -d ${quoted(summary)}`,
  );

/** What may follow a command: what it holds, its options, its arguments. */
function lines(described: CommandDescription): readonly string[] {
  const { path, command, entries } = described;
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
  const inside = entries.map(({ name }) => name).join(" ");
  const free = inside === "" ? seen : `${seen}; and not __fish_seen_subcommand_from ${inside}`;
  return [
    ...names(free, entries),
    ...optionsOf(described)
      .filter(({ long }) => long !== "--help")
      .map((option) => optionLine(seen, option)),
    ...(hasNames(described)
      ? [
          `complete -c reeve -n ${quoted(seen)} -f -a ${quoted(`(reeve completion names ${path.join(" ")} 2>/dev/null)`)}`,
        ]
      : []),
    ...(command?.arguments ?? []).flatMap(({ name, choices }) => {
      const words = wordsOf(wantedBy(name, choices));
      return words === "" ? [] : `complete -c reeve -n ${quoted(seen)}${words}`;
    }),
  ];
}

function optionLine(condition: string, { long, short, summary, value }: CompletedOption): string {
  const name = `-l ${long.slice(2)}${short === undefined ? "" : ` -s ${short.slice(1)}`}`;
  const follows = value ? ` -r${wordsOf(value.wanted)}` : "";
  return `complete -c reeve -n ${quoted(condition)} ${name}${follows} -d ${quoted(summary)}`;
}

function wordsOf(wanted: ExpectedValue): string {
  switch (wanted.kind) {
    case "words":
      return ` -f -a ${quoted(wanted.words.join(" "))}`;
    case "files":
      return " -F";
    case "directories":
      return " -f -a '(__fish_complete_directories)'";
    case "anything":
      return "";
  }
}

const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
