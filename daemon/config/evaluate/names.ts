/** What the first name of a path means: a variable, `let.x`, another file, a run-time name, a block. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, renameFix, suggestFix } from "../diagnose.js";
import { constantFor, isoDuration } from "../habits.js";
import { orList } from "../types/describe.js";
import { typeOfDescriptor } from "../types/type.js";
import { Residual, type ValueNode } from "../values/value.js";
import { resolveBlock } from "./block-names.js";
import { type EvaluationContext, type Local, locationOf } from "./evaluation-run.js";
import { evaluateLet } from "./lets.js";
import { LATER } from "./measure.js";
import { BROKEN, type NoValue } from "./outcome.js";
import type { LexicalScope } from "./scope.js";
import type { Head, PathStep } from "./steps.js";

export function resolveHead(
  name: tree.Name,
  steps: readonly PathStep[],
  context: EvaluationContext,
): Head {
  const { scope, later, locals } = context;
  const { text } = name;
  if (text === "let") return resolveLet(name, steps, scope, context);
  const variable = scope.variable(text);
  const local = locals?.get(text);
  if (later && Object.hasOwn(later.names, text)) {
    return variable || local
      ? { outcome: ambiguous(name, later.title, context), used: steps.length }
      : { outcome: laterName(name, context), used: 0 };
  }
  if (variable) return { outcome: variable.value, used: 0 };
  if (local) return { outcome: localResidual(text, local, name, context), used: 0 };
  if (scope.unit.aliases.has(text)) return resolveAlias(name, steps, context);
  return (
    resolveBlock(name, steps, context) ?? {
      outcome: unknown(name, steps, context),
      used: steps.length,
    }
  );
}

/** The variable of a run-time loop; it is as unknown as the loop's iterable. */
export function localResidual(
  name: string,
  local: Local,
  node: tree.Span,
  context: EvaluationContext,
): Residual {
  const range = locationOf(node, context);
  return new Residual({ op: "local", slot: local.slot, name, range }, local.type, {
    ...LATER,
    later: local.later,
    secret: local.secret,
  });
}

function laterName(name: tree.Name, context: EvaluationContext): Residual {
  const descriptor = context.later?.names[name.text];
  if (!descriptor) throw new Error("unreachable: the name was found in the scope");
  const type = typeOfDescriptor(descriptor.type);
  const node: ValueNode = {
    op: "name",
    name: name.text,
    type,
    range: locationOf(name, context),
    ...(descriptor.caseInsensitive ? { lowerCase: true } : {}),
  };
  return new Residual(node, type, LATER);
}

function ambiguous(name: tree.Name, title: string, context: EvaluationContext): NoValue {
  context.report(
    createDiagnostic(
      "E206",
      locationOf(name, context),
      `\`${name.text}\` is a loop variable and a name of the ${title}`,
      { help: "rename the loop variable" },
    ),
  );
  return BROKEN;
}

/** `let.x`, as seen from `scope`. */
function resolveLet(
  name: tree.Name,
  steps: readonly PathStep[],
  scope: LexicalScope,
  context: EvaluationContext,
): Head {
  const step = steps[0];
  if (step?.kind !== "member") {
    context.report(
      createDiagnostic(
        "E202",
        locationOf(name, context),
        "a `let` is named with a dot: `let.name`",
      ),
    );
    return { outcome: BROKEN, used: steps.length };
  }
  const binding = scope.let(step.name.text);
  if (binding) return { outcome: evaluateLet(binding, step.name, context), used: 1 };
  const location = locationOf(step.name, context);
  const suggestion = suggest(step.name.text, scope.letNames());
  context.report(
    createDiagnostic("E202", location, `there is no \`let ${step.name.text}\` here`, {
      label: suggestFix(suggestion),
      fix: renameFix(location, suggestion),
    }),
  );
  return { outcome: BROKEN, used: steps.length };
}

/** `teams.let.x`, after `import "teams.reeve" as teams`. */
function resolveAlias(
  name: tree.Name,
  steps: readonly PathStep[],
  context: EvaluationContext,
): Head {
  const alias = context.scope.unit.aliases.get(name.text);
  const [first, second] = steps;
  if (alias && first?.kind === "member" && first.name.text === "let" && second) {
    const inside = resolveLet(name, steps.slice(1), alias.unit.scope, context);
    return { ...inside, used: Math.min(inside.used + 1, steps.length) };
  }
  context.report(
    createDiagnostic(
      "E205",
      locationOf(first ?? name, context),
      "a value of another file is named differently",
      {
        help: `write \`${name.text}.let.NAME\``,
      },
    ),
  );
  return { outcome: BROKEN, used: steps.length };
}

/** What a word means that is written without its quotes or prefix, or as in another language. */
function foreignName(
  text: string,
  [step]: readonly PathStep[],
  { scope, words }: EvaluationContext,
): string | undefined {
  if (step !== undefined) {
    const isPrefix =
      /^(vars?|locals?|const|module|params?|parameters?)$/.test(text) && step.kind === "member";
    return isPrefix && scope.let(step.name.text) ? "let" : undefined;
  }
  if (scope.let(text)) return `let.${text}`;
  const choices = words?.choices ?? [];
  const choice = choices.includes(text) ? text : suggest(text, choices);
  if (choice !== undefined) return `"${choice}"`;
  return constantFor(text) ?? isoDuration(text);
}

function unknown(name: tree.Name, steps: readonly PathStep[], context: EvaluationContext): NoValue {
  const { world, scope, later } = context;
  const { text } = name;
  const location = locationOf(name, context);
  if (!world.bound && steps.length > 0) return tooEarly(location, context);
  const attributes = later ? undefined : world.runTimeNames.get(text);
  if (attributes) return onlyLater(text, location, attributes, context);
  const bare = [
    ...scope.variableNames(),
    ...scope.unit.aliases.keys(),
    ...(context.locals?.keys() ?? []),
    ...Object.keys(later?.names ?? {}),
  ];
  const suggestion =
    foreignName(text, steps, context) ??
    suggest(text, [...bare, ...world.kinds]) ??
    (context.words?.text && steps.length === 0 ? `"${text}"` : undefined);
  const shell = /^[A-Z][A-Z0-9_]*$/.test(text) && suggestion === undefined;
  context.report(
    createDiagnostic("E201", location, `the name \`${text}\` means nothing here`, {
      label: suggestFix(suggestion),
      fix: renameFix(location, suggestion),
      help: shell
        ? 'for a shell variable write `\\${…}`, or make it a raw string: r"…" or r"""…"""'
        : later && suggestion === undefined
          ? `the ${later.title} has ${Object.keys(later.names)
              .map((each) => `\`${each}\``)
              .join(", ")}`
          : undefined,
    }),
  );
  return BROKEN;
}

/** A name that other attributes know, where a value is wanted now. */
function onlyLater(
  text: string,
  location: SourceLocation,
  attributes: readonly string[],
  context: EvaluationContext,
): NoValue {
  const known = attributes.slice(0, 4).map((each) => `\`${each}\``);
  context.report(
    createDiagnostic(
      "E214",
      location,
      `\`${text}\` is known only at run time, and this is worked out now`,
      {
        help: `it can stand in ${orList(known)}`,
      },
    ),
  );
  return BROKEN;
}

/** Before plugins are bound, the name may well be a kind of block. */
function tooEarly(location: SourceLocation, context: EvaluationContext): NoValue {
  context.report(
    createDiagnostic("E216", location, "neither blocks nor plugins can be referred to here", {
      help: "imports and the blocks `daemon` and `plugin` are read before anything else",
    }),
  );
  return BROKEN;
}
