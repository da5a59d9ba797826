/** The value of a `let`: evaluated once, on first use. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { Dependencies } from "./dependencies.js";
import { type EvaluationContext, type EvaluationRun, locationOf } from "./evaluation-run.js";
import { BROKEN, type Evaluated, NoValue } from "./outcome.js";
import { typed } from "./parameter-type.js";
import type { LetBinding } from "./scope.js";

/** `at`: the location of the reference, for diagnostics about cycles. */
export function evaluateLet(
  binding: LetBinding,
  at: tree.Span,
  context: EvaluationContext,
): Evaluated {
  const { state } = binding;
  context.world.requested.add(binding.node);
  if (binding.shared) context.uses.addLet(binding.node);
  if (state.kind === "evaluating") return circle(binding, at, context);
  if (state.kind === "done") {
    context.uses.add(state.uses);
    return state.outcome;
  }
  const outcome = evaluateOnce(binding, context.world);
  if (binding.state.kind === "done") context.uses.add(binding.state.uses);
  return outcome;
}

/** Evaluates every let, so that unused lets are checked too. */
export function checkUnused(binding: LetBinding, world: EvaluationRun): void {
  const outcome = evaluateOnce(binding, world);
  if (world.requested.has(binding.node)) return;
  if (outcome instanceof NoValue && outcome.complaint) world.report(outcome.complaint);
}

/** Evaluates a let in its own scope and reports its errors there. */
function evaluateOnce(binding: LetBinding, world: EvaluationRun): Evaluated {
  if (binding.state.kind === "done") return binding.state.outcome;
  binding.state = { kind: "evaluating" };
  const uses = new Dependencies();
  world.path.push(binding);
  const outcome = binding.shared
    ? world.sharing(() => bindingValue(binding, world, uses))
    : bindingValue(binding, world, uses);
  world.path.pop();
  binding.state = { kind: "done", outcome, uses };
  return outcome;
}

/** A parameter without a value is reported where its argument is absent. */
function bindingValue(binding: LetBinding, world: EvaluationRun, uses: Dependencies): Evaluated {
  const { value } = binding;
  if (!value) return BROKEN;
  const context: EvaluationContext = { world, scope: value.scope, uses, report: world.report };
  const outcome = world.evaluate(value.node, context);
  return typed(outcome, binding, context);
}

/** `let.a` needs `let.b` needs `let.a`. */
function circle(binding: LetBinding, at: tree.Span, context: EvaluationContext): Evaluated {
  const { path } = context.world;
  const members = path.slice(path.indexOf(binding));
  const names = [...members, binding].map((each) => `let.${each.name}`);
  context.report(
    createDiagnostic(
      "E207",
      locationOf(at, context),
      `\`let.${binding.name}\` needs its own value: ${names.map((name) => `\`${name}\``).join(" → ")}`,
      {
        related: members.map((each) => ({
          location: locationIn(each.scope.unit.name, each.node.name),
          message: `\`let.${each.name}\``,
        })),
      },
    ),
  );
  return BROKEN;
}
