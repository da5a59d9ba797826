/** An explained value, for people and for programs. */
import type { ValueExplanation } from "../../../daemon/config/explain/explain.js";
import type { Input } from "../../../daemon/config/program.js";
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import { type JsonRange, linesOf, type Sources } from "../../../grammar/index.js";
import type { Channel } from "../../plugin-api/output.js";
import { pad } from "../../print/text.js";

export interface SourceTexts {
  /** By the names that people know. */
  readonly sources: Sources;
  /** The name that people know of a file as a place names it. */
  name(file: string): string;
}

const RELOADS: Readonly<Record<ValueExplanation["reload"], string>> = {
  live: "is taken over while the block runs",
  restart: "replaces the block by a new one",
  daemon: "is taken over by a new daemon only",
};

export function renderExplanation(
  explanation: ValueExplanation,
  texts: SourceTexts,
  { paint }: Pick<Channel, "paint">,
): string {
  const { path, value, doc, origin } = explanation;
  const facts = factsOf(explanation, texts);
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const steps = origin.map(({ kind, text, value: result, location, from }) => ({
    where: kind === "default" ? "by default" : location ? where(location, texts) : "",
    what: `${text}${result === undefined ? "" : `  ->  ${result}`}${from === undefined ? "" : `  (from ${from})`}`,
  }));
  const column = Math.max(0, ...steps.map((step) => step.where.length));
  const lines = [
    `${paint("bold", path)} = ${value}`,
    ...(doc === undefined ? [] : ["", ...doc.split("\n").map((line) => `  ${line}`)]),
    "",
    ...facts.map(([name, fact]) => `  ${paint("dim", pad(name, width))}  ${fact}`),
    ...(steps.length === 0 ? [] : [""]),
    ...steps.map((step) => `  ${paint("accent", pad(step.where, column))}  ${step.what}`),
  ];
  return `${lines.join("\n")}\n`;
}

function factsOf(
  { type, default: byDefault, reload, inputs, references, trace }: ValueExplanation,
  texts: SourceTexts,
): ReadonlyArray<readonly [string, string]> {
  const several = (name: string, list: readonly string[]) =>
    list.length === 0 ? [] : [[name, list.join(", ")] as const];
  return [
    ...(type === undefined ? [] : [["type", type] as const]),
    ...(byDefault === undefined ? [] : [["default", byDefault] as const]),
    ["a change", RELOADS[reload]],
    ...several(
      "depends on",
      inputs.map((input) => inputOf(input, texts)),
    ),
    ...several("uses", references),
    ...trace.map(
      ({ description, location }) =>
        ["made by", `${description} at ${where(location, texts)}`] as const,
    ),
  ];
}

function inputOf(input: Input, { name }: SourceTexts): string {
  switch (input.kind) {
    case "file":
      return `file ${name(input.path)}`;
    case "glob":
      return `files ${name(input.pattern)}`;
    case "environment":
      return `environment variable ${input.name}`;
    case "secret":
      return `secret ${input.reference}`;
  }
}

/** `main.reeve:3:5`. */
export function where(location: SourceLocation, texts: SourceTexts): string {
  const { file, range } = jsonLocation(location, texts);
  return range ? `${file}:${range.start.line}:${range.start.column}` : file;
}

/** The same as JSON; files and ranges as diagnostics have them. */
export function explanationJson(explanation: ValueExplanation, texts: SourceTexts): object {
  const { location, origin, trace, inputs, ...rest } = explanation;
  return {
    ...rest,
    ...jsonLocation(location, texts),
    origin: origin.map(({ location: at, ...step }) => ({
      ...step,
      ...(at && jsonLocation(at, texts)),
    })),
    trace: trace.map(({ description, location: at }) => ({
      description,
      ...jsonLocation(at, texts),
    })),
    inputs: inputs.map((input) =>
      input.kind === "file" ? { ...input, path: texts.name(input.path) } : input,
    ),
  };
}

function jsonLocation(
  { file, start, end }: SourceLocation,
  { sources, name }: SourceTexts,
): { readonly file: string; readonly range?: JsonRange } {
  const source = sources.get(name(file));
  if (!source) return { file: name(file) };
  const lines = linesOf(source);
  return { file: name(file), range: { start: lines.position(start), end: lines.position(end) } };
}
