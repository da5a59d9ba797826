/** `secret(…)`: a reference to what nobody may see. */
import { dirname, isAbsolute, resolve } from "node:path";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { STRING } from "../types/type.js";
import { quoteString } from "../values/render.js";
import { Residual } from "../values/value.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { textArgument } from "./input-call.js";
import { SECRET_MEASURE } from "./measure.js";
import { BROKEN, type Evaluated, NoValue } from "./outcome.js";

/** A secret by its reference; nothing is read yet. */
export function secretOf(
  node: tree.CallExpression,
  argument: tree.ExpressionNode,
  context: EvaluationContext,
): Evaluated {
  const written = textArgument(argument, "the reference of a secret", context);
  if (written instanceof NoValue) return written;
  const reference = normal(written, context);
  if (reference === undefined) {
    const sources = [...context.world.functions.keys()];
    const suggestion = suggest(written.split(":")[0] ?? "", ["env", "file", ...sources]);
    context.report(
      createDiagnostic(
        "E508",
        locationOf(argument, context),
        `${quoteString(written)} does not say where the secret is`,
        {
          label: suggestion === undefined ? undefined : `did you mean \`${suggestion}:…\`?`,
          help: 'write `secret("env:NAME")`, `secret("file:PATH")` or `secret("<plugin>:…")`',
        },
      ),
    );
    return BROKEN;
  }
  context.world.secrets.add(reference);
  context.uses.addSecret(reference);
  const range = locationOf(node, context);
  return new Residual({ op: "secret", reference, range }, STRING, SECRET_MEASURE);
}

/** The reference with its path made absolute; `undefined` where nobody could answer it. */
function normal(written: string, context: EvaluationContext): string | undefined {
  const colon = written.indexOf(":");
  const source = written.slice(0, colon);
  const rest = written.slice(colon + 1);
  if (colon === -1 || rest === "") return undefined;
  if (source === "env") return /^[A-Za-z_][A-Za-z0-9_]*$/.test(rest) ? written : undefined;
  if (source === "file") {
    const directory = dirname(context.scope.unit.path);
    return `file:${isAbsolute(rest) ? rest : resolve(directory, rest)}`;
  }
  const { bound, functions } = context.world;
  return !bound || functions.has(source) ? written : undefined;
}
