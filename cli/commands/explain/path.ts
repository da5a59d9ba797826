/** A value or block of a configuration, and where it comes from. */
import { explainValue } from "../../../daemon/config/explain/explain.js";
import { render, sanitize, suggest, toJson } from "../../../grammar/index.js";
import { Exit, type ExitCode, Failure } from "../../plugin-api/exit.js";
import { loadConfiguration, nameFrom, rootFile } from "../../project/load.js";
import { renderBlock } from "./block.js";
import type { ExplainOptions } from "./options.js";
import { explanationJson, renderExplanation } from "./render.js";

/** `kinds` are what the path may have been meant to be, besides a block. */
export async function explainPath(
  path: string,
  file: string | undefined,
  kinds: readonly string[],
  { asJson, output }: ExplainOptions,
): Promise<ExitCode> {
  const root = rootFile(file);
  const { program, diagnostics, sources } = await loadConfiguration(root);
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
