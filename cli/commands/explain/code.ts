/** What a diagnostic means. */

import { Exit, type ExitCode, Failure } from "../../plugin-api/exit.js";
import { type CodeExplanation, exampleOf, explanationOf } from "../../print/explanations.js";
import type { ExplainOptions } from "./options.js";

/** @throws Failure when no diagnostic has the code. */
export function explainCode(code: string, { asJson, output }: ExplainOptions): ExitCode {
  const known = explanationOf(code);
  if (!known) throw new Failure(Exit.noInput, `there is no diagnostic \`${code}\``);
  if (asJson) {
    const { title, explanation } = known;
    output.json({ code, title, explanation, ...exampleJson(known) });
  } else {
    const { out } = output;
    out.line(`${out.paint("bold", code)}: ${known.title}`);
    out.line();
    out.line(known.explanation);
    for (const { name, text } of exampleOf(known)) {
      out.line();
      out.line(out.paint("dim", `# ${name}`));
      out.write(text);
    }
  }
  return Exit.ok;
}

function exampleJson(known: CodeExplanation): {
  readonly example?: Readonly<Record<string, string>>;
} {
  const files = exampleOf(known);
  if (files.length === 0) return {};
  return { example: Object.fromEntries(files.map(({ name, text }) => [name, text])) };
}
