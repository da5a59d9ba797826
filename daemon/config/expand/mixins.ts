/** `use mixin.x`: finding mixins, and merging what they bring into a body. */
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, renameFix, suggestFix } from "../diagnose.js";
import { type EvaluationContext, locationOf } from "../evaluate/evaluation-run.js";
import type { MixinDefinition } from "../evaluate/scope.js";
import { accessPath } from "../evaluate/steps.js";
import { keyPart } from "../keys.js";

/** The mixin that a `use` names; `undefined` after complaining. */
export function findMixin(node: tree.Use, context: EvaluationContext): MixinDefinition | undefined {
  const { base, steps } = accessPath(node.target);
  const unit = context.scope.unit;
  const names = [base, ...steps].map(nameIn);
  const alias = names[0] === undefined ? undefined : unit.aliases.get(names[0]);
  const [word, name, ...rest] = alias ? names.slice(1) : names;
  const last = steps.at(-1);
  if (word !== "mixin" || name === undefined || rest.length > 0 || !last) {
    context.report(
      createDiagnostic("E204", locationOf(node.target, context), "`use` names a mixin", {
        help: "write `use mixin.NAME`, or `use FILE.mixin.NAME` after `import … as FILE`",
      }),
    );
    return undefined;
  }
  const { mixins } = alias?.unit ?? unit;
  const found = mixins.get(name);
  if (found) return found;
  const part = last.kind === "member" ? last.name : (last.index ?? last);
  const suggestion = suggest(name, [...mixins.keys()]);
  context.report(
    createDiagnostic("E204", locationOf(part, context), `there is no \`mixin "${name}"\``, {
      label: suggestFix(suggestion === undefined ? undefined : `mixin${keyPart(suggestion)}`),
      fix: last.kind === "member" ? renameFix(locationOf(part, context), suggestion) : undefined,
    }),
  );
  return undefined;
}

/** `x` in `x`, `.x` and `["x"]`. */
function nameIn(node: tree.ExpressionNode): string | undefined {
  if (node.kind === "name") return node.text;
  if (node.kind === "member") return node.name.text;
  return node.kind === "index" && node.index?.kind === "string" ? node.index.value : undefined;
}
