/** Completion for zsh, with the summaries of commands and options. */
import type { Argument } from "../../plugin-api/command.js";
import type { CommandDescription } from "../../program/describe.js";
import { type CompletedOption, type ExpectedValue, HELP, optionsOf, wantedBy } from "./words.js";

type Entries = CommandDescription["entries"];

export function zshScript(described: readonly CommandDescription[], top: Entries): string {
  return `#compdef reeve
# Completion of reeve for zsh. Put this into a directory of $fpath as _reeve:
#   reeve completion zsh > ~/.zfunc/_reeve

${chooser("_reeve", [...top, { name: "help", summary: "show how a command is used" }], [HELP, VERSION])}
${described.map((each) => (each.command ? verb(each) : chooser(functionOf(each.path), each.entries, [HELP]))).join("\n")}
if [[ $funcstack[1] == _reeve ]]; then _reeve "$@"; else compdef _reeve reeve; fi
`;
}

const VERSION: CompletedOption = {
  long: "--version",
  short: "-V",
  summary: "print the version",
  repeats: false,
};

const functionOf = (path: readonly string[]): string =>
  `_reeve_${path.join("_").replaceAll("-", "_")}`;

/** A function that completes the names of commands, and hands over to the one that is there. */
function chooser(name: string, entries: Entries, options: readonly CompletedOption[]): string {
  const prefix = name === "_reeve" ? "_reeve_" : `${name}_`;
  const cases = entries
    .filter((entry) => entry.name !== "help")
    .map((entry) => `      ${entry.name}) ${prefix}${entry.name.replaceAll("-", "_")} ;;`);
  return `${name}() {
  local curcontext="$curcontext" context state state_descr line
  typeset -A opt_args
  local -a commands=(
${entries.map((entry) => `    ${quoted(`${entry.name}:${entry.summary}`)}`).join("\n")}
  )
  _arguments -C \\
${[...options.map(optionSpec), quoted("1: :->command"), quoted("*:: :->rest")].map((spec) => `    ${spec}`).join(" \\\n")}
  case $state in
    command) _describe command commands ;;
    rest) case $line[1] in
${cases.join("\n")}
    esac ;;
  esac
}
`;
}

function verb(described: CommandDescription): string {
  const specs = [
    ...optionsOf(described).map(optionSpec),
    ...(described.command?.arguments ?? []).map((argument) => argumentSpec(argument, described)),
  ];
  return `${functionOf(described.path)}() {
  _arguments \\
${specs.map((spec) => `    ${spec}`).join(" \\\n")}
}
`;
}

function optionSpec({ long, short, summary, repeats, value }: CompletedOption): string {
  const about = `[${summary.replace(/[[\]\\]/g, "\\$&")}]`;
  const after = value ? `:${colons(value.name)}:${action(value.wanted)}` : "";
  const name = value ? `${long}=` : long;
  const star = repeats ? "*" : "";
  if (short === undefined) return quoted(`${star}${name}${about}${after}`);
  const both = `{${short}${value ? "+" : ""},${name}}`;
  return `${quoted(repeats ? "*" : `(${short} ${long})`)}${both}${quoted(`${about}${after}`)}`;
}

function argumentSpec(
  { name, required, variadic, choices, complete }: Argument,
  { path }: CommandDescription,
): string {
  const start = variadic ? "*:" : required ? ":" : "::";
  if (complete) {
    const names = `\${(f)"$(_call_program names reeve completion names ${path.join(" ")} 2>/dev/null)"}`;
    return quoted(`${start}${colons(name)}:{ compadd -- ${names} }`);
  }
  return quoted(`${start}${colons(name)}:${action(wantedBy(name, choices))}`);
}

function action(wanted: ExpectedValue): string {
  switch (wanted.kind) {
    case "words":
      return `(${wanted.words.join(" ")})`;
    case "files":
      return "_files";
    case "directories":
      return "_files -/";
    case "anything":
      return " ";
  }
}

const colons = (text: string): string => text.replaceAll(":", "\\:");
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
