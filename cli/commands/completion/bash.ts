/** Completion for bash; it needs nothing besides bash itself. */
import type { CommandDescription } from "../../program/describe.js";
import { hasNames } from "./names.js";
import { type ExpectedValue, HELP, optionsOf, wantedBy } from "./words.js";

export function bashScript(
  described: readonly CommandDescription[],
  top: readonly string[],
): string {
  const paths = described.map(({ path }) => path.join(" "));
  return `# Completion of reeve for bash. Put this into ~/.bashrc:  source <(reeve completion bash)
_reeve() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${path:+$path }\${COMP_WORDS[i]}" in
      ${paths.map(quoted).join(" | ")}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $previous" in
${described.flatMap(valueCases).join("\n")}
  esac
  local words= options=${quoted(`${HELP.long} --version`)}
  case "$path" in
    "") words=${quoted([...top, "help"].join(" "))} ;;
${described.map(wordCase).join("\n")}
  esac
  if [[ $current == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] && return
  # \`compgen -W\` would expand what stands in a name.
  case "$path" in
    ${described
      .filter(hasNames)
      .map(({ path }) => quoted(path.join(" ")))
      .join(" | ")})
      local name typed=\${current//[\\\\\\"\\']/}
      while IFS= read -r name; do
        if [[ $name == "$typed"* ]]; then COMPREPLY+=("$(printf '%q' "$name")"); fi
      done < <("\${COMP_WORDS[0]}" completion names $path 2>/dev/null) ;;
  esac
}
complete -o bashdefault -o default -F _reeve reeve
`;
}

/** After an option that wants a value: its words, or nothing, which leaves it to bash to complete files. */
function valueCases(described: CommandDescription): readonly string[] {
  return optionsOf(described).flatMap(({ long, short, value }) => {
    if (!value) return [];
    const names = [long, ...(short === undefined ? [] : [short])];
    const patterns = names.map((name) => quoted(`${described.path.join(" ")} ${name}`));
    return `    ${patterns.join(" | ")}) ${reply(value.wanted)} return ;;`;
  });
}

const reply = (wanted: ExpectedValue): string =>
  wanted.kind === "words"
    ? `COMPREPLY=($(compgen -W ${quoted(wanted.words.join(" "))} -- "$current"));`
    : "";

function wordCase(described: CommandDescription): string {
  const { path, command, entries } = described;
  const choices = (command?.arguments ?? []).flatMap((argument) => {
    const wanted = wantedBy(argument.name, argument.choices);
    return wanted.kind === "words" ? wanted.words : [];
  });
  const words = [...entries.map(({ name }) => name), ...choices].join(" ");
  const options = optionsOf(described)
    .map(({ long }) => long)
    .join(" ");
  return `    ${quoted(path.join(" "))}) words=${quoted(words)} options=${quoted(options)} ;;`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
