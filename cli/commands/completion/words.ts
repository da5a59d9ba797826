/** What every shell's script is made of. */
import type { Option } from "../../plugin-api/command.js";
import type { CommandDescription } from "../../program/describe.js";
import { longNameOf } from "../../program/parser.js";

/** What may stand in a place: words, files, directories, or anything. */
export type ExpectedValue =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "files" | "directories" | "anything" };

export interface CompletedOption {
  /** `--format`. */
  readonly long: string;
  /** `-f`. */
  readonly short: string | undefined;
  readonly summary: string;
  readonly repeats: boolean;
  /** Absent where no value follows. */
  readonly value?: { readonly name: string; readonly wanted: ExpectedValue };
}

export const HELP: CompletedOption = {
  long: "--help",
  short: "-h",
  summary: "show this help",
  repeats: false,
};

/** The options of a command; help is one of them. */
export const optionsOf = ({ command }: CommandDescription): readonly CompletedOption[] => [
  ...Object.entries(command?.options ?? {}).map(([name, option]) => completed(name, option)),
  HELP,
];

function completed(name: string, option: Option): CompletedOption {
  const { short, summary, kind } = option;
  return {
    long: `--${longNameOf(name)}`,
    short: short === undefined ? undefined : `-${short}`,
    summary,
    repeats: kind === "texts",
    ...(kind !== "flag" && { value: valueOfOption(option) }),
  };
}

function valueOfOption(option: Exclude<Option, { kind: "flag" }>) {
  if (option.kind === "choice") {
    return { name: "WORD", wanted: { kind: "words", words: option.choices } } as const;
  }
  const { placeholder } = option;
  return { name: placeholder, wanted: wantedBy(placeholder) };
}

/** What is meant is in the name: `FILE` and `PATH` are files, `DIR` a directory. */
export function wantedBy(name: string, choices?: readonly string[]): ExpectedValue {
  if (choices) return { kind: "words", words: choices };
  if (/\b(FILE|PATH)\b/.test(name)) return { kind: "files" };
  return { kind: /\b(DIR|BACKUP)\b/.test(name) ? "directories" : "anything" };
}
