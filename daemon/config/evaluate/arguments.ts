/** Arguments to parameters: by place, then by name. */
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, rename, suggestFix } from "../diagnose.js";
import type { Parameter } from "../functions/signature.js";
import { type Context, placeOf } from "./evaluation-run.js";

export interface Argument {
  readonly parameter: Parameter;
  readonly value: tree.Expression;
}

/**
 * The arguments in the order of the parameters; `undefined` after complaining. `signature` is how the function is
 * written, for the message.
 */
export function bindArguments(
  parameters: readonly Parameter[],
  signature: string,
  node: tree.Call,
  context: Context,
): readonly Argument[] | undefined {
  const wrong = (place: tree.Span, message: string, details = {}): undefined => {
    context.report(createDiagnostic("E308", placeOf(place, context), message, details));
  };
  const bound: Argument[] = [];
  for (const argument of node.arguments) {
    if (argument.name) {
      const index = parameters.findIndex(({ name }) => name === argument.name?.text);
      const parameter = parameters[index];
      if (!parameter || parameter.rest) {
        const names = parameters.filter(({ rest }) => !rest).map(({ name }) => name);
        const suggestion = suggest(argument.name.text, names);
        const place = placeOf(argument.name, context);
        return wrong(argument.name, `\`${signature}\` has no parameter \`${argument.name.text}\``, {
          label: suggestFix(suggestion),
          fix: rename(place, suggestion),
        });
      }
      if (bound.some((each) => each.parameter === parameter)) {
        return wrong(argument, `\`${parameter.name}\` is given twice`);
      }
      if (index !== bound.length) {
        const skipped = parameters[bound.length]?.name ?? "";
        return wrong(argument, `\`${skipped}\` of \`${signature}\` must be given before it`);
      }
      bound.push({ parameter, value: argument.value });
    } else {
      const next = parameters[bound.length] ?? parameters.at(-1);
      const named = node.arguments.slice(0, bound.length).some(({ name }) => name);
      if (named) return wrong(argument, "arguments with a name come last");
      if (!next || (bound.length >= parameters.length && !next.rest)) {
        return wrong(argument, `this is one argument too many for \`${signature}\``);
      }
      bound.push({ parameter: next, value: argument.value });
    }
  }
  const absent = parameters[bound.length];
  if (!absent || absent.optional || absent.rest) return bound;
  const end = { start: node.end - 1, end: node.end };
  return wrong(end, `\`${signature}\` needs \`${absent.name}\``);
}
