/** `format`: a template with `%` marks. */
import { limits } from "../limits.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { quoteString } from "../values/render.js";
import type { Value } from "../values/value.js";
import { encodeJson } from "./json.js";
import { valueText } from "./text-of.js";

const mark = /%(?<flags>[-0]*)(?<width>\d{0,4})(?:\.(?<decimals>\d{1,2}))?(?<verb>[a-zA-Z%])|%/g;

/** @throws Fault where marks and values do not go together. */
export function formatText(template: string, ...values: readonly Value[]): string {
  let used = 0;
  let length = template.length;
  const text = template.replace(mark, (whole, ...rest) => {
    const { flags, width, decimals, verb } = rest.at(-1) as Record<string, string | undefined>;
    if (verb === "%") return "%";
    if (verb === undefined)
      throw new EvaluationError("a `%` in the template is not a mark; write `%%`");
    const value = values[used];
    used += 1;
    if (value === undefined) {
      throw new EvaluationError(
        `the template has more marks than values: there is none for \`${whole}\``,
      );
    }
    const filled = pad(fill(verb, value, decimals, whole), Number(width || 0), flags ?? "");
    length += filled.length;
    if (length > limits.string)
      throw new EvaluationError("the string is too long", { code: "E406" });
    return filled;
  });
  if (used < values.length) {
    throw new EvaluationError(`the template has ${used} marks for ${values.length} values`);
  }
  return text;
}

function fill(verb: string, value: Value, decimals: string | undefined, whole: string): string {
  switch (verb) {
    case "s":
      return valueText(value);
    case "q":
      return quoteString(valueText(value));
    case "j":
      return encodeJson(value);
    case "d":
      return String(Math.trunc(numberIn(value, whole)));
    case "f":
      return numberIn(value, whole).toFixed(Number(decimals ?? 6));
    case "x":
      return Math.trunc(numberIn(value, whole)).toString(16);
    default:
      throw new EvaluationError(
        `\`${whole}\` is not a mark: there are %s, %d, %f, %x, %q, %j and %%`,
      );
  }
}

function numberIn(value: Value, whole: string): number {
  if (typeof value === "number") return value;
  throw new EvaluationError(`\`${whole}\` wants a number`);
}

function pad(text: string, width: number, flags: string): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0")) return text.padStart(width);
  return text.startsWith("-")
    ? `-${text.slice(1).padStart(width - 1, "0")}`
    : text.padStart(width, "0");
}
