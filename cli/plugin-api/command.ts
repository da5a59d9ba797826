/**
 * What a command is: plain data and one function. Help, the completion of shells and the reference page are made from
 * the data; `run` gets what was written, checked and typed.
 */
import type { Control } from "../control/client.js";
import type { ExitCode } from "./exit.js";
import type { Output } from "./output.js";

export interface Argument {
  /** As help shows it: `FILE`. */
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Any number of them; only the last argument can be. */
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  /** The names that the completion of a shell offers. `control` is that of the command's own call. */
  complete?(control: Control): Promise<readonly string[]>;
}

interface Named {
  readonly summary: string;
  /** One letter: `-q`. */
  readonly short?: string;
}

export interface Flag extends Named {
  readonly kind: "flag";
}
export interface Choice<Value extends string, Fallback> extends Named {
  readonly kind: "choice";
  readonly choices: readonly Value[];
  readonly fallback: Fallback;
}
export interface Text<Fallback> extends Named {
  readonly kind: "text";
  /** As help shows it: `PATH`. */
  readonly placeholder: string;
  readonly fallback: Fallback;
}
export interface Count<Fallback> extends Named {
  readonly kind: "count";
  readonly placeholder: string;
  readonly fallback: Fallback;
}
export interface TextList extends Named {
  readonly kind: "texts";
  readonly placeholder: string;
}

export type Option =
  | Flag
  | Choice<string, string | undefined>
  | Text<string | undefined>
  | Count<number | undefined>
  | TextList;
/** By name in camel case: `dryRun` is written `--dry-run`. */
export type Options = Readonly<Record<string, Option>>;

type OptionValue<O extends Option> =
  O extends Choice<infer Value, infer Fallback>
    ? Value | Fallback
    : O extends Text<infer Fallback>
      ? string | Fallback
      : O extends Count<infer Fallback>
        ? number | Fallback
        : O extends TextList
          ? readonly string[]
          : boolean;

type More = Omit<Named, "summary">;

/** There or not. */
export const flag = (summary: string, more: More = {}): Flag => ({
  kind: "flag",
  summary,
  ...more,
});

/** One of a few words. */
export function choice<
  const Value extends string,
  const Fallback extends Value | undefined = undefined,
>(
  choices: readonly Value[],
  summary: string,
  more: More & { readonly fallback?: Fallback } = {},
): Choice<Value, Fallback> {
  return { kind: "choice", choices, summary, ...more, fallback: more.fallback as Fallback };
}

/** Any text. */
export function text<const Fallback extends string | undefined = undefined>(
  placeholder: string,
  summary: string,
  more: More & { readonly fallback?: Fallback } = {},
): Text<Fallback> {
  return { kind: "text", placeholder, summary, ...more, fallback: more.fallback as Fallback };
}

/** A whole number, 0 or more. */
export function count<const Fallback extends number | undefined = undefined>(
  placeholder: string,
  summary: string,
  more: More & { readonly fallback?: Fallback } = {},
): Count<Fallback> {
  return { kind: "count", placeholder, summary, ...more, fallback: more.fallback as Fallback };
}

/** Any text, as often as wanted; in the order they are written. */
export const texts = (placeholder: string, summary: string, more: More = {}): TextList => ({
  kind: "texts",
  placeholder,
  summary,
  ...more,
});

/** The option of every command that prints data. */
export const json = flag("print JSON for programs instead of text for people");

/** One use of a command. */
export interface Call<O extends Options = Options> {
  readonly arguments: readonly string[];
  readonly options: { readonly [Name in keyof O]: OptionValue<O[Name]> };
  readonly output: Output;
  /** The daemon at `--control`. For a command of a plugin, `get`, `post` and `open` are below `/v1/<plugin>`. */
  readonly control: Control;
  /** All commands. */
  readonly commands: readonly CommandEntry[];
  /** Aborted when the reader of the output has gone. Long-running commands end then. */
  readonly signal: AbortSignal;
}

interface Example {
  /** A whole command line: `reeve check`. */
  readonly command: string;
  /** What it does, starting small: "checks ./main.reeve". */
  readonly does: string;
}

export interface Command<O extends Options = Options> {
  /** Paragraphs below the summary in help, in plain text. */
  readonly description?: string;
  readonly arguments?: readonly Argument[];
  readonly options?: O;
  /** At least one. */
  readonly examples: readonly [Example, ...Example[]];
  /** Those that differ from what `exit.ts` says, or that deserve a word. */
  readonly exits?: Partial<Record<ExitCode, string>>;
  /**
   * Does it.
   * @throws Failure, ReeveError where a person can do something about it; anything else is reported as a fault of Reeve.
   */
  run(call: Call<O>): Promise<ExitCode>;
}

/** Keeps the types of a command's options for its `run`. */
export function defineCommand<const O extends Options = Record<never, never>>(
  command: Command<O>,
): Command {
  return command as unknown as Command;
}

interface Listed {
  readonly name: string;
  /** One line, starting small, without a full stop. */
  readonly summary: string;
  /** Under which heading the list of commands has it: `The daemon`. */
  readonly heading?: string;
}

/** A command by its name, loaded when it is used. */
export interface CommandReference extends Listed {
  /** The plugin of the command. */
  readonly plugin?: string;
  /** True for the command of a declared plugin: help and completion never load it. */
  readonly isDeclared?: boolean;
  load(): Promise<{ readonly command: Command }>;
}

/** Commands that belong together: `plugin list`, `plugin restart`. */
export interface CommandGroup extends Listed {
  readonly entries: readonly CommandEntry[];
}

export type CommandEntry = CommandReference | CommandGroup;
