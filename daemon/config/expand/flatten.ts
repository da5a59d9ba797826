/** Carries out what is structural in a body: lets, `for`, `if`, `use`. What is left are attributes and blocks. */
import type { Expansion } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, placeIn, type Report, within } from "../diagnose.js";
import { type Context, type EvaluationRun, placeOf } from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import { LexicalScope } from "../evaluate/scope.js";
import { isFree } from "../evaluate/shadow.js";
import { evaluateKnown } from "../evaluate/strict.js";
import { Uses } from "../evaluate/uses.js";
import { describeValue } from "../types/describe.js";
import { isList, isObject, type Value } from "../values/value.js";
import { findMixin } from "./mixins.js";
import type { FlatBody } from "./site.js";

export interface ExpansionScope {
  readonly world: EvaluationRun;
  readonly scope: LexicalScope;
  readonly trace: readonly Expansion[];
  readonly report: Report;
  /** What evaluations on the way come across: a block depends on what its structure was decided by. */
  readonly uses: Uses;
}

export function flatten(items: readonly tree.Item[], around: ExpansionScope): FlatBody {
  const flat: FlatBody = { attributes: [], blocks: [], uses: [] };
  gather(items, around, flat);
  return flat;
}

/** Lets are seen by the whole body, wherever they stand in it. */
export function declareLets(
  items: readonly tree.Item[],
  scope: LexicalScope,
  report: Report,
): void {
  for (const item of items) {
    if (item.kind !== "let" || item.disabled) continue;
    const name = item.name.text;
    const earlier = scope.let(name);
    if (earlier) {
      const other = placeIn(earlier.scope.unit.name, earlier.node.name);
      report(
        createDiagnostic(
          "E206",
          placeIn(scope.unit.name, item.name),
          `there is a \`let ${name}\` already`,
          {
            help: "choose another name: no name hides another one",
            related: [{ place: other, message: "first given here" }],
          },
        ),
      );
    } else scope.addLet(item);
  }
}

function gather(items: readonly tree.Item[], around: ExpansionScope, flat: FlatBody): void {
  for (const item of items) {
    if (item.disabled) continue;
    switch (item.kind) {
      case "attribute":
        flat.attributes.push({ node: item, scope: around.scope, trace: around.trace });
        break;
      case "block":
        flat.blocks.push({ node: item, scope: around.scope, trace: around.trace });
        break;
      case "use":
        expandUse(item, around, flat);
        break;
      case "for":
        expandFor(item, around, flat);
        break;
      case "if":
        expandIf(item, around, flat);
        break;
      case "import":
      case "mixin":
        if (around.scope.parent) misplaced(item, around);
        break;
      default:
        break;
    }
  }
}

function misplaced(item: tree.Import | tree.Mixin, around: ExpansionScope): void {
  const word = item.kind === "import" ? "an `import`" : "a `mixin`";
  const end = item.kind === "import" ? item.path.end : item.label.end;
  const place = placeIn(around.scope.unit.name, { start: item.start, end });
  within(
    around.report,
    undefined,
    around.trace,
  )(
    createDiagnostic(
      "E108",
      place,
      `${word} stands at the top of a file, outside of everything else`,
    ),
  );
}

const contextOf = (around: ExpansionScope): Context => ({
  world: around.world,
  scope: around.scope,
  uses: around.uses,
  report: within(around.report, undefined, around.trace),
});

function expandUse(node: tree.Use, around: ExpansionScope, flat: FlatBody): void {
  const mixin = findMixin(node, contextOf(around));
  if (mixin) flat.uses.push({ node, mixin, scope: around.scope, trace: around.trace });
}

function inside(
  body: tree.Body,
  step: Expansion,
  around: ExpansionScope,
  flat: FlatBody,
  scope: LexicalScope,
): void {
  declareLets(body.items, scope, around.report);
  gather(body.items, { ...around, scope, trace: [step, ...around.trace] }, flat);
}

function expandIf(node: tree.If, around: ExpansionScope, flat: FlatBody): void {
  const context = contextOf(around);
  const test = evaluateKnown(node.test, "whether a body counts is decided now", context);
  if (test instanceof NoValue) return;
  if (typeof test !== "boolean") {
    context.report(
      createDiagnostic(
        "E314",
        placeOf(node.test, context),
        `a condition must be true or false, not ${describeValue(test)}`,
      ),
    );
    return;
  }
  const body = test ? node.consequent : node.alternate;
  if (!body) return;
  const step = {
    description: written(node, node.test.end, around),
    place: headOf(node, node.test, around),
  };
  inside(body, step, around, flat, new LexicalScope(around.scope.unit, around.scope));
}

/** `if let.ci`: from the keyword to the end of its expression, in one line. */
const written = (node: tree.Span, end: number, around: ExpansionScope): string =>
  `\`${around.scope.unit.text.slice(node.start, end).replace(/\s+/g, " ").trim()}\``;

const headOf = (node: tree.Span, last: tree.Span, around: ExpansionScope) =>
  placeIn(around.scope.unit.name, { start: node.start, end: last.end });

function expandFor(node: tree.For, around: ExpansionScope, flat: FlatBody): void {
  const context = contextOf(around);
  const iterable = evaluateKnown(node.iterable, "what a `for` repeats is decided now", context);
  if (iterable instanceof NoValue) return;
  const rounds = roundsOf(node, iterable, context);
  if (!rounds) return;
  const free = [node.key, node.variable].every((name) => !name || isFree(name, context));
  if (!free) return;
  const step = {
    description: written(node, node.iterable.end, around),
    place: headOf(node, node.iterable, around),
  };
  const source = around.world.written(iterable);
  for (const [key, value] of rounds) {
    around.world.step(1, () => placeOf(node.iterable, context));
    const scope = new LexicalScope(around.scope.unit, around.scope);
    const origin = source?.element(key);
    const variable = (name: tree.Name, held: Value) =>
      scope.addVariable({ name: name.text, value: held, place: placeOf(name, context), origin });
    if (node.key) variable(node.key, key);
    variable(node.variable, value);
    inside(node.body, step, around, flat, scope);
  }
}

/** Index and element of a list, name and value of an object. */
function roundsOf(
  node: tree.For,
  iterable: Value,
  context: Context,
): Iterable<readonly [string | number, Value]> | undefined {
  if (isList(iterable)) return iterable.entries();
  if (isObject(iterable) && node.key) return Object.entries(iterable);
  const help = isObject(iterable)
    ? `an object has names and values: \`for name, ${node.variable.text} in …\``
    : undefined;
  context.report(
    createDiagnostic(
      "E315",
      placeOf(node.iterable, context),
      `\`for\` goes through a list, not ${describeValue(iterable)}`,
      { help },
    ),
  );
  return undefined;
}
