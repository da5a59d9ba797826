/** The functions that the evaluator carries out itself: absence, inputs, secrets. */

import { dirname, isAbsolute, resolve } from "node:path";
import { type Diagnostic } from "../../../grammar/diagnostic.js";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { type FunctionSignature } from "../functions/signature.js";
import { BOOLEAN, STRING, unionOf } from "../types/type.js";
import { typeOf } from "../types/value-type.js";
import { quoteString } from "../values/render.js";
import { Residual, type Value, type ValueObject } from "../values/value.js";
import { type BoundArgument } from "./arguments.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { readEnvironment, readFile, textArgument } from "./input-call.js";
import { isOpen, SECRET_MEASURE } from "./measure.js";
import { BROKEN, type Evaluated, NoValue, PENDING } from "./outcome.js";
import { nodeOf, residual } from "./residual.js";
import { evaluateStrict, strict } from "./strict.js";

export function callSpecial(
  node: tree.CallExpression,
  signature: FunctionSignature,
  bound: readonly BoundArgument[],
  context: EvaluationContext,
): Evaluated {
  const [first, second] = bound.map(({ value }) => value);
  if (signature.name === "coalesce") return coalesce(node, bound, context);
  if (!first) return BROKEN;
  switch (signature.name) {
    case "try":
      return second ? attempt(node, first, second, context) : BROKEN;
    case "defined":
      return defined(node, first, context);
    case "env":
      return readEnvironment(node, first, second, context);
    case "file":
      return readFile(first, context);
    case "postgres":
      return database(first, context);
    default:
      return secretOf(node, first, context);
  }
}

/** An object whose elements are checked where they are used: the components of an address remain separate secrets. */
function database(address: tree.ExpressionNode, context: EvaluationContext): Evaluated {
  const postgres = evaluateStrict(address, context);
  if (postgres instanceof NoValue) return postgres;
  return Object.assign(Object.create(null), { postgres }) as ValueObject;
}

/** A chain of `??`. */
function coalesce(
  node: tree.CallExpression,
  bound: readonly BoundArgument[],
  context: EvaluationContext,
): Evaluated {
  const open: Value[] = [];
  let last: Evaluated = null;
  for (const { value } of bound) {
    last = context.world.evaluate(value, context);
    if (last === null || (last instanceof NoValue && last.kind === "missing")) continue;
    if (last instanceof NoValue) return last;
    if (!(last instanceof Residual)) break;
    open.push(last);
  }
  if (open.length === 0) return last;
  const known = last instanceof NoValue || last instanceof Residual || last === null ? [] : [last];
  const values = [...open, ...known];
  const nodes = values.map((value) => nodeOf(value, node, context));
  const type = unionOf(values.map(typeOf));
  return residual(node, { op: "call", name: "coalesce", arguments: nodes }, type, values, context);
}

/** Complaints that no default can answer: names that mean nothing, and limits. */
const lasting = /^E(20[0-9]|21[0-6]|218|308|4\d\d)$/;

/** `try(value, default)`. */
function attempt(
  node: tree.CallExpression,
  value: tree.ExpressionNode,
  otherwise: tree.ExpressionNode,
  context: EvaluationContext,
): Evaluated {
  const complaints: Diagnostic[] = [];
  const outcome = context.world.evaluate(value, {
    ...context,
    report: (diagnostic) => complaints.push(diagnostic),
  });
  const serious = complaints.filter(({ code }) => lasting.test(code));
  serious.forEach(context.report);
  if (serious.length > 0) return BROKEN;
  if (outcome === PENDING) return PENDING;
  if (outcome instanceof NoValue) return context.world.evaluate(otherwise, context);
  if (!(outcome instanceof Residual)) return outcome;
  const fallback = evaluateStrict(otherwise, context);
  if (fallback instanceof NoValue) return fallback;
  return residual(
    node,
    {
      op: "call",
      name: "try",
      arguments: [nodeOf(outcome, value, context), nodeOf(fallback, otherwise, context)],
    },
    unionOf([outcome.type, typeOf(fallback)]),
    [outcome, fallback],
    context,
  );
}

function defined(
  node: tree.CallExpression,
  value: tree.ExpressionNode,
  context: EvaluationContext,
): Evaluated {
  const outcome = context.world.evaluate(value, context);
  if (outcome instanceof NoValue && outcome.kind === "missing") return false;
  const present = strict(outcome, context);
  if (present instanceof NoValue) return present;
  if (!isOpen(present)) return true;
  const inner = nodeOf(present, value, context);
  return residual(
    node,
    { op: "call", name: "defined", arguments: [inner] },
    BOOLEAN,
    [present],
    context,
  );
}

/** A secret by its reference; nothing is read yet. */
function secretOf(
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

/** The reference with an absolute path; `undefined` if its source is unknown. */
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
