/** JSON in and out of the language. */
import { limits } from "../limits.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { LinearPattern } from "../values/pattern.js";
import { isList, isObject, objectOf, Residual, type Value } from "../values/value.js";

/** Compact JSON; durations, sizes and percentages as the language writes them. */
export function encodeJson(value: Value): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, name, each) {
    const own = this[name];
    if (own instanceof LinearPattern)
      throw new EvaluationError("a regular expression has no JSON form");
    if (own instanceof Residual)
      throw new EvaluationError("a value that is not known yet has no JSON form");
    return each;
  });
  if (text.length > limits.string)
    throw new EvaluationError("the string is too long", { code: "E406" });
  return text;
}

/** @throws Fault where the text is not JSON. */
export function decodeJson(text: string): Value {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new EvaluationError("the text is not JSON");
  }
  return adopt(parsed, 0);
}

/** Foreign data as values: objects without prototype, nesting bounded. */
function adopt(data: unknown, depth: number): Value {
  if (depth > limits.depth) {
    throw new EvaluationError(`the JSON is nested more than ${limits.depth} deep`, {
      code: "E408",
    });
  }
  if (isList(data)) return data.map((item) => adopt(item, depth + 1));
  if (!isObject(data)) return data as Value;
  return objectOf(Object.entries(data).map(([name, item]) => [name, adopt(item, depth + 1)]));
}
