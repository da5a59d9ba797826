/** The value of a `let`: computed when first asked for, once. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, placeIn } from "../diagnose.js";
import { type Context, type EvaluationRun, placeOf } from "./evaluation-run.js";
import { BROKEN, NoValue, type Outcome } from "./outcome.js";
import type { LetBinding } from "./scope.js";
import { Uses } from "./uses.js";

/** `at`: where it is asked for, to blame when lets need each other in a circle. */
export function evaluateLet(binding: LetBinding, at: tree.Span, context: Context): Outcome {
  const { state } = binding;
  context.world.asked.add(binding.node);
  if (binding.shared) context.uses.addLet(binding.node);
  if (state.kind === "evaluating") return circle(binding, at, context);
  if (state.kind === "done") {
    context.uses.add(state.uses);
    return state.outcome;
  }
  const outcome = settle(binding, context.world);
  if (binding.state.kind === "done") context.uses.add(binding.state.uses);
  return outcome;
}

/** Every let is worked out; one that nobody asked for is checked like one that somebody needs. */
export function checkUnused(binding: LetBinding, world: EvaluationRun): void {
  const outcome = settle(binding, world);
  if (world.asked.has(binding.node)) return;
  if (outcome instanceof NoValue && outcome.complaint) world.report(outcome.complaint);
}

/** Evaluates a let in its own surroundings: what is wrong with it is told there, whoever asked. */
function settle(binding: LetBinding, world: EvaluationRun): Outcome {
  if (binding.state.kind === "done") return binding.state.outcome;
  binding.state = { kind: "evaluating" };
  const uses = new Uses();
  world.path.push(binding);
  const context: Context = { world, scope: binding.scope, uses, report: world.report };
  const evaluate = () => world.evaluate(binding.node.value, context);
  const outcome = binding.shared ? world.sharing(evaluate) : evaluate();
  world.path.pop();
  binding.state = { kind: "done", outcome, uses };
  return outcome;
}

/** `let.a` needs `let.b` needs `let.a`. */
function circle(binding: LetBinding, at: tree.Span, context: Context): Outcome {
  const { path } = context.world;
  const members = path.slice(path.indexOf(binding));
  const names = [...members, binding].map((each) => `let.${each.name}`);
  context.report(
    createDiagnostic(
      "E207",
      placeOf(at, context),
      `\`let.${binding.name}\` needs its own value: ${names.map((name) => `\`${name}\``).join(" → ")}`,
      {
        related: members.map((each) => ({
          place: placeIn(each.scope.unit.name, each.node.name),
          message: `\`let.${each.name}\``,
        })),
      },
    ),
  );
  return BROKEN;
}
