/** A value or block of a configuration, and where it comes from. */
import { explainValue } from "../../../daemon/config/explain/explain.js";
import type { BlockKey, Program } from "../../../daemon/config/program.js";
import { render, sanitize, suggest, toJson } from "../../../grammar/index.js";
import { Exit, type ExitCode, Failure } from "../../plugin-api/exit.js";
import type { Channel } from "../../plugin-api/output.js";
import { pad } from "../../print/text.js";
import { loadConfiguration, nameFrom, rootFile } from "../../project/load.js";
import type { ExplainOptions } from "./options.js";
import { explanationJson, renderExplanation, type SourceTexts, where } from "./render.js";

/** `kinds` are what the path may have been meant to be, besides a block. */
export async function explainPath(
  path: string,
  file: string | undefined,
  kinds: readonly string[],
  { asJson, output }: ExplainOptions,
): Promise<ExitCode> {
  const root = rootFile(file);
  const { program, diagnostics, sources } = await loadConfiguration(root, { explainable: true });
  if (!program) {
    if (asJson) {
      const found = sanitize(diagnostics, sources).map((each) => toJson(each, sources));
      output.json({ diagnostics: found });
    } else output.err.write(render(diagnostics, sources, { colour: output.err.colour }));
    return Exit.configuration;
  }
  const found = explainValue(program, path);
  if ("problem" in found) {
    const meant = found.suggestion ?? suggest(path, [...program.blocks.keys(), ...kinds]);
    throw new Failure(Exit.noInput, found.problem, {
      help: meant === undefined ? undefined : `Did you mean \`${meant}\`?`,
    });
  }
  const texts = { sources, name: nameFrom(root) };
  if (asJson) output.json(explanationJson(found, texts));
  else if (program.blocks.has(path)) {
    output.out.write(renderBlock(program, path, texts, output.out));
  } else output.out.write(renderExplanation(found, texts, output.out));
  return Exit.ok;
}

/** The keys of the blocks in the working directory's configuration, for the completion of shells. */
export async function blockKeys(): Promise<readonly string[]> {
  const { program } = await loadConfiguration(rootFile(), { explainable: true });
  return [...(program?.blocks.keys() ?? [])];
}

/** A whole block: every attribute with its value and its origin. */
function renderBlock(
  program: Program,
  key: BlockKey,
  texts: SourceTexts,
  { paint }: Pick<Channel, "paint">,
): string {
  const { descriptor, values, doc } = program.blocks.get(key) as NonNullable<
    ReturnType<Program["blocks"]["get"]>
  >;
  const nested = Object.keys(descriptor.blocks).filter((kind) => isPresent(values[kind]));
  const rows = [...Object.keys(descriptor.attributes), ...nested].flatMap((name) => {
    const found = explainValue(program, `${key}.${name}`);
    if ("problem" in found || (found.value === "null" && values[name] === undefined)) return [];
    const [{ kind, location } = { kind: "block" as const }] = found.origin;
    const at = kind === "default" ? "by default" : where(location ?? found.location, texts);
    return [{ name, value: found.value, at }];
  });
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const column = Math.max(0, ...rows.map(({ at }) => at.length));
  return [
    paint("bold", key),
    ...(doc ?? descriptor.doc ?? "").split("\n").map((line) => (line === "" ? "" : `  ${line}`)),
    ...((doc ?? descriptor.doc) ? [""] : []),
    ...rows.map(
      ({ name, value, at }) =>
        `  ${paint("accent", pad(at, column))}  ${pad(name, width)} = ${value}`,
    ),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

const isPresent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined;
