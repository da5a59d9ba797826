/** `acme.initials("Ada Lovelace")`: functions that plugins add, carried out on the plugin's side. */
import { createHash } from "node:crypto";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import type { FunctionDescriptor } from "../../plugin-api/descriptor.js";
import { createDiagnostic, renameFix, suggestFix } from "../diagnose.js";
import type { Parameter } from "../functions/signature.js";
import { describeType, describeValue } from "../types/describe.js";
import { typeOfDescriptor } from "../types/type.js";
import { holds } from "../types/value-type.js";
import type { Value } from "../values/value.js";
import { encodeValue } from "../values/wire.js";
import { type BoundArgument, bindArguments } from "./arguments.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { bounded } from "./measure.js";
import { BROKEN, type Evaluated, NoValue, PENDING } from "./outcome.js";
import { evaluateKnown } from "./strict.js";

export function callPlugin(
  node: tree.CallExpression,
  namespace: tree.Name,
  name: tree.Name,
  context: EvaluationContext,
): Evaluated {
  const { world } = context;
  const provider = world.functions.get(namespace.text);
  if (!provider) return unknownNamespace(namespace, context);
  const descriptor = Object.hasOwn(provider.functions, name.text)
    ? provider.functions[name.text]
    : undefined;
  if (!descriptor) {
    const location = locationOf(name, context);
    const suggestion = suggest(name.text, Object.keys(provider.functions));
    context.report(
      createDiagnostic(
        "E203",
        location,
        `the plugin \`${namespace.text}\` has no function \`${name.text}\``,
        {
          label: suggestFix(suggestion),
          fix: renameFix(location, suggestion),
        },
      ),
    );
    return BROKEN;
  }
  const parameters = functionParameters(descriptor);
  const signature = `${namespace.text}.${name.text}(${parameters.map((each) => each.name).join(", ")})`;
  const bound = bindArguments(parameters, signature, node, context);
  const values = bound && knownArguments(bound, signature, context);
  if (!values || values instanceof NoValue) return values ?? BROKEN;
  return askPlugin(provider.plugin, name.text, values, node, context);
}

function unknownNamespace(namespace: tree.Name, context: EvaluationContext): NoValue {
  const early = !context.world.bound;
  context.report(
    early
      ? createDiagnostic(
          "E216",
          locationOf(namespace, context),
          "plugins cannot be referred to here",
          {
            help: "imports and the blocks `daemon` and `plugin` are read before anything else",
          },
        )
      : createDiagnostic(
          "E203",
          locationOf(namespace, context),
          "only a function can be called, by its name",
          {
            help: `there is no plugin \`${namespace.text}\``,
          },
        ),
  );
  return BROKEN;
}

export const functionParameters = (descriptor: FunctionDescriptor): readonly Parameter[] =>
  descriptor.parameters.map(({ name, type }) => ({ name, type: typeOfDescriptor(type) }));

/** Plugin functions run at load time only, so all arguments must be known. */
export function knownArguments(
  bound: readonly BoundArgument[],
  signature: string,
  context: EvaluationContext,
): readonly Value[] | NoValue {
  const values: Value[] = [];
  let noValue: NoValue | undefined;
  for (const { parameter, value: node } of bound) {
    const value = evaluateKnown(node, "a plugin's function is carried out now", context);
    if (value instanceof NoValue) noValue = noValue === BROKEN ? BROKEN : value;
    else if (holds(parameter.type, value)) values.push(value);
    else {
      noValue = BROKEN;
      context.report(
        createDiagnostic(
          "E309",
          locationOf(node, context),
          `\`${parameter.name}\` of \`${signature}\` must be ${describeType(parameter.type)}, not ${describeValue(value)}`,
        ),
      );
    }
  }
  return noValue ?? values;
}

/** The plugin's result, once available. Arguments are passed as plain values; `given` overrides them if present. */
export function askPlugin(
  plugin: string,
  name: string,
  values: readonly Value[],
  node: tree.CallExpression,
  context: EvaluationContext,
  given: readonly unknown[] = values,
): Evaluated {
  const key = createHash("sha256")
    .update(JSON.stringify(given.map(encodeValue)))
    .digest("hex");
  const answer = context.world.ask({ kind: "call", plugin, name, arguments: given, key }, context);
  if (!answer) return PENDING;
  if (answer.kind === "value") return bounded(answer.value, node, context);
  const why = answer.kind === "refused" ? answer.message : "it gave no value";
  context.report(
    createDiagnostic("E510", locationOf(node, context), `\`${name}\` cannot answer: ${why}`),
  );
  return BROKEN;
}
