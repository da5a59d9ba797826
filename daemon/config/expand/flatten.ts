/** Expands the structure of a body: lets, `for`, `if` and `use`. Attributes and blocks remain. */

import { type ExpansionStep } from "../../../grammar/diagnostic.js";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import {
  createDiagnostic,
  locationIn,
  type ReportDiagnostic,
  renameFix,
  reportWithin,
  suggestFix,
} from "../diagnose.js";
import { refuseIterable } from "../evaluate/comprehension.js";
import { Dependencies } from "../evaluate/dependencies.js";
import {
  type EvaluationContext,
  type EvaluationRun,
  locationOf,
} from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import { LexicalScope, type MixinDefinition } from "../evaluate/scope.js";
import { areFree } from "../evaluate/shadow.js";
import { accessPath } from "../evaluate/steps.js";
import { evaluateKnown } from "../evaluate/strict.js";
import { keyPart } from "../keys.js";
import { describeValue } from "../types/describe.js";
import { roundsOf } from "../values/rounds.js";
import { type Value } from "../values/value.js";
import { checkType } from "./parameters.js";
import { type FlatBody } from "./site.js";

export interface ExpansionScope {
  readonly world: EvaluationRun;
  readonly scope: LexicalScope;
  readonly trace: readonly ExpansionStep[];
  readonly report: ReportDiagnostic;
  /** Dependencies of the evaluations: a block depends on the values that decided its structure. */
  readonly uses: Dependencies;
}

export function flatten(items: readonly tree.Item[], expansion: ExpansionScope): FlatBody {
  const flat: FlatBody = { attributes: [], blocks: [], uses: [] };
  gather(items, expansion, flat);
  return flat;
}

/** Lets are visible in the whole body. */
export function declareLets(
  items: readonly tree.Item[],
  scope: LexicalScope,
  report: ReportDiagnostic,
): void {
  for (const item of items) {
    if ((item.kind !== "let" && item.kind !== "param") || item.disabled) continue;
    if (item.kind === "param") checkType(item, scope, report);
    const name = item.name.text;
    const earlier = scope.let(name);
    if (earlier) {
      const other = locationIn(earlier.scope.unit.name, earlier.node.name);
      report(
        createDiagnostic(
          "E206",
          locationIn(scope.unit.name, item.name),
          `there is a \`${earlier.node.kind} ${name}\` already`,
          {
            help: "choose another name: no name hides another one",
            related: [{ location: other, message: "first given here" }],
          },
        ),
      );
    } else scope.addLet(item);
  }
}

function gather(items: readonly tree.Item[], expansion: ExpansionScope, flat: FlatBody): void {
  for (const item of items) {
    if (item.disabled) continue;
    switch (item.kind) {
      case "attribute":
        flat.attributes.push({ node: item, scope: expansion.scope, trace: expansion.trace });
        break;
      case "block":
        flat.blocks.push({ node: item, scope: expansion.scope, trace: expansion.trace });
        break;
      case "use":
        expandUse(item, expansion, flat);
        break;
      case "for":
        expandFor(item, expansion, flat);
        break;
      case "if":
        expandIf(item, expansion, flat);
        break;
      case "import":
      case "mixin":
        if (expansion.scope.parent) misplaced(item, expansion);
        break;
      case "param":
        if (!expansion.scope.takesArguments) misplaced(item, expansion);
        break;
      default:
        break;
    }
  }
}

function misplaced(
  item: tree.Import | tree.Mixin | tree.ParameterNode,
  expansion: ExpansionScope,
): void {
  const { end } =
    item.kind === "import" ? item.path : item.kind === "mixin" ? item.label : item.name;
  const location = locationIn(expansion.scope.unit.name, { start: item.start, end });
  reportWithin(
    expansion.report,
    undefined,
    expansion.trace,
  )(createDiagnostic("E108", location, MISPLACED[item.kind]));
}

const MISPLACED = {
  import: "an `import` stands at the top of a file, outside of everything else",
  mixin: "a `mixin` stands at the top of a file, outside of everything else",
  param: "a `param` stands directly in a mixin or at the top of a file",
} as const;

const contextOf = (expansion: ExpansionScope): EvaluationContext => ({
  world: expansion.world,
  scope: expansion.scope,
  uses: expansion.uses,
  report: reportWithin(expansion.report, undefined, expansion.trace),
});

function expandUse(node: tree.Use, expansion: ExpansionScope, flat: FlatBody): void {
  const mixin = findMixin(node, contextOf(expansion));
  if (mixin) flat.uses.push({ node, mixin, scope: expansion.scope, trace: expansion.trace });
}

function inside(
  body: tree.Body,
  step: ExpansionStep,
  expansion: ExpansionScope,
  flat: FlatBody,
  scope: LexicalScope,
): void {
  declareLets(body.items, scope, expansion.report);
  gather(body.items, { ...expansion, scope, trace: [step, ...expansion.trace] }, flat);
}

function expandIf(node: tree.If, expansion: ExpansionScope, flat: FlatBody): void {
  const context = contextOf(expansion);
  const test = evaluateKnown(node.test, "whether a body counts is decided now", context);
  if (test instanceof NoValue) return;
  if (typeof test !== "boolean") {
    context.report(
      createDiagnostic(
        "E314",
        locationOf(node.test, context),
        `a condition must be true or false, not ${describeValue(test)}`,
      ),
    );
    return;
  }
  const body = test ? node.consequent : node.alternate;
  if (!body) return;
  const step = {
    description: written(node, node.test.end, expansion),
    location: headOf(node, node.test, expansion),
  };
  inside(body, step, expansion, flat, new LexicalScope(expansion.scope.unit, expansion.scope));
}

/** `if let.ci`: from the keyword to the end of its expression, in one line. */
const written = (node: tree.Span, end: number, expansion: ExpansionScope): string =>
  `\`${expansion.scope.unit.text.slice(node.start, end).replace(/\s+/g, " ").trim()}\``;

const headOf = (node: tree.Span, last: tree.Span, expansion: ExpansionScope) =>
  locationIn(expansion.scope.unit.name, { start: node.start, end: last.end });

function expandFor(node: tree.For, expansion: ExpansionScope, flat: FlatBody): void {
  const context = contextOf(expansion);
  const iterable = evaluateKnown(node.iterable, "what a `for` repeats is decided now", context);
  if (iterable instanceof NoValue) return;
  const rounds = roundsOf(iterable, node.key !== undefined);
  if (!rounds) {
    refuseIterable(node, iterable, context);
    return;
  }
  if (!areFree(node, context)) return;
  const step = {
    description: written(node, node.iterable.end, expansion),
    location: headOf(node, node.iterable, expansion),
  };
  const source = expansion.world.written(iterable);
  for (const [key, value] of rounds) {
    expansion.world.step(1, () => locationOf(node.iterable, context));
    const scope = new LexicalScope(expansion.scope.unit, expansion.scope);
    const origin = source?.element(key);
    const variable = (name: tree.Name, held: Value) =>
      scope.addVariable({
        name: name.text,
        value: held,
        location: locationOf(name, context),
        origin,
      });
    if (node.key) variable(node.key, key);
    variable(node.variable, value);
    inside(node.body, step, expansion, flat, scope);
  }
}

/** The mixin that a `use` names; `undefined` after complaining. */
function findMixin(node: tree.Use, context: EvaluationContext): MixinDefinition | undefined {
  const { base, steps } = accessPath(calleeOf(node.target));
  const unit = context.scope.unit;
  const names = [base, ...steps].map(nameIn);
  const alias = names[0] === undefined ? undefined : unit.aliases.get(names[0]);
  const [word, name, ...rest] = alias ? names.slice(1) : names;
  const last = steps.at(-1);
  if (word !== "mixin" || name === undefined || rest.length > 0 || !last) {
    const location = locationOf(node.target, context);
    const text = node.target.kind === "string" ? node.target.value : word;
    const meant =
      rest.length === 0 && text !== undefined && unit.mixins.has(text) ? text : undefined;
    const written = meant === undefined ? undefined : `mixin${keyPart(meant)}`;
    context.report(
      createDiagnostic("E204", location, "`use` names a mixin", {
        ...(written && {
          label: `write \`${written}\``,
          fix: { title: `write \`${written}\``, edits: [{ ...location, text: written }] },
        }),
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

/** `mixin.x` of `mixin.x` and `mixin.x(…)`. */
const calleeOf = (target: tree.ExpressionNode): tree.ExpressionNode =>
  target.kind === "call" ? target.callee : target;

/** `x` in `x`, `.x` and `["x"]`. */
function nameIn(node: tree.ExpressionNode): string | undefined {
  if (node.kind === "name") return node.text;
  if (node.kind === "member") return node.name.text;
  return node.kind === "index" && node.index?.kind === "string" ? node.index.value : undefined;
}
