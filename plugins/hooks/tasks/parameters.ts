/** Parameters of tasks: their values from texts, checked. Pure. */
import type { TaskBlock } from "../blocks/blocks.js";
import { faultOf, type ParameterRules, type ParameterValue } from "../blocks/parameter-rules.js";
import type { TaskParameter } from "../evidence/api.js";

/** By name, or the first mistake in one sentence. `given`: texts by name. */
export function parameterValues(
  { label = "", values: { param: parameters } }: TaskBlock,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, ParameterValue>> | string {
  const names = parameters.map(({ label: name = "" }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    return `The task \`${label}\` has no parameter \`${unknown}\`: ${known}.`;
  }
  const values: Record<string, ParameterValue> = {};
  for (const { label: name = "", values: rules } of parameters) {
    const text = given[name];
    const value = text === undefined ? rules.default : parsedValue(text, rules.type);
    if (value === undefined) {
      return text === undefined
        ? `The task \`${label}\` needs the parameter \`${name}\`.`
        : `The parameter \`${name}\` is a ${rules.type}${rules.type === "boolean" ? ": true or false" : ""}.`;
    }
    const fault = faultOf(value, rules);
    if (fault !== undefined) return `The parameter \`${name}\` is not accepted: ${fault}.`;
    values[name] = value;
  }
  return values;
}

function parsedValue(text: string, type: ParameterRules["type"]): ParameterValue | undefined {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (type === "list") return text === "" ? [] : text.split(",");
  if (type !== "number") return text;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** For programs and people that start the task. */
export const parametersOf = ({ values }: TaskBlock): readonly TaskParameter[] =>
  values.param.map(({ label: name = "", values: rules }) => ({
    name,
    type: rules.type,
    required: rules.default === undefined,
    ...(rules.about === undefined ? {} : { about: rules.about }),
    ...(rules.values === undefined ? {} : { values: rules.values }),
    ...(rules.pattern === undefined ? {} : { pattern: rules.pattern.source }),
    ...(rules.default === undefined ? {} : { default: rules.default }),
  }));

/** A JSON Schema (2020-12) of the parameters. */
export function parameterSchema(block: TaskBlock): Readonly<Record<string, unknown>> {
  const parameters = parametersOf(block);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(parameters.map((each) => [each.name, propertyOf(each)])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

function propertyOf(parameter: TaskParameter): Readonly<Record<string, unknown>> {
  const { type, values, pattern, about, default: value } = parameter;
  const text = { type: "string", ...(values && { enum: values }), ...(pattern && { pattern }) };
  return {
    ...(type === "list"
      ? { type: "array", items: text }
      : type === "number" || type === "boolean"
        ? { type }
        : text),
    ...(type === "secret" && { writeOnly: true }),
    ...(about === undefined ? {} : { description: about }),
    ...(value === undefined ? {} : { default: value }),
  };
}
