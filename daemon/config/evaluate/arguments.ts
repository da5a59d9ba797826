/** Binds arguments to parameters: by position, then by name. */
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, renameFix, suggestFix } from "../diagnose.js";
import type { Parameter } from "../functions/signature.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";

export interface BoundArgument {
  readonly parameter: Parameter;
  readonly value: tree.ExpressionNode;
}

/**
 * The arguments in the order of the parameters; reports a diagnostic and returns `undefined` if they do not match.
 * `signature` is shown in the message.
 */
export function bindArguments(
  parameters: readonly Parameter[],
  signature: string,
  node: tree.CallExpression,
  context: EvaluationContext,
): readonly BoundArgument[] | undefined {
  const wrong = (location: tree.Span, message: string, details = {}): undefined => {
    context.report(createDiagnostic("E308", locationOf(location, context), message, details));
  };
  const bound: BoundArgument[] = [];
  for (const argument of node.arguments) {
    if (argument.name) {
      const index = parameters.findIndex(({ name }) => name === argument.name?.text);
      const parameter = parameters[index];
      if (!parameter || parameter.rest) {
        const names = parameters.filter(({ rest }) => !rest).map(({ name }) => name);
        const suggestion = suggest(argument.name.text, names);
        const location = locationOf(argument.name, context);
        return wrong(argument.name, `\`${signature}\` has no parameter \`${argument.name.text}\``, {
          label: suggestFix(suggestion),
          fix: renameFix(location, suggestion),
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
