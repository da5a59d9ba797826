/** Checks of scalar values, with an error message for each type. */
import { suggest } from "../../../grammar/suggest.js";
import { type TypeDescriptor } from "../../plugin-api/descriptor.js";
import { suggestFix } from "../diagnose.js";
import { describeDescriptor, describeValue } from "../types/describe.js";
import { parseHostPattern } from "../values/host-pattern.js";
import { compilePattern, LinearPattern } from "../values/pattern.js";
import {
  parseDuration,
  parseSize,
  Quantity,
  renderDuration,
  renderPercent,
  renderSize,
} from "../values/quantity.js";
import { renderValue } from "../values/render.js";
import { BlockReference, Residual, type Value } from "../values/value.js";
import { PathDraft } from "./draft.js";
import { openMismatch } from "./open-values.js";
import { addMismatch, type TypeMismatch } from "./type-mismatch.js";

type Leaf = Exclude<
  TypeDescriptor,
  { type: "list" | "map" | "object" | "union" | "expression" | "secret" | "any" }
>;
type Payload = Parameters<typeof addMismatch>[0];
type Verdict = { readonly value: unknown } | TypeMismatch;

/** The check of a type; returns the value that the plugin receives. */
export function leafCheck(
  type: Leaf,
  namespace: string | undefined,
): (value: Value, payload: Payload) => unknown {
  return (value, payload) => {
    if (value instanceof Residual) return addMismatch(payload, openMismatch(value, type));
    const verdict = judge(type, value, namespace);
    return "value" in verdict ? verdict.value : addMismatch(payload, verdict);
  };
}

function judge(type: Leaf, value: Value, namespace: string | undefined): Verdict {
  switch (type.type) {
    case "string":
      return typeof value === "string" ? judgeString(type, value) : wrongType(type, value);
    case "number":
      return typeof value === "number" ? judgeNumber(type, value) : wrongType(type, value);
    case "boolean":
      return typeof value === "boolean" ? { value } : wrongType(type, value);
    case "duration":
    case "size":
    case "percent":
      return judgeQuantity(type, value);
    case "regex":
      return value instanceof LinearPattern ? { value } : wrongType(type, value);
    case "host_pattern":
      return typeof value === "string" ? judgeHost(value) : wrongType(type, value);
    case "path":
      return typeof value === "string" ? judgePath(value) : wrongType(type, value);
    case "enum":
      return judgeEnum(type, value);
    case "reference":
      return judgeReference(type.kind, value, namespace);
  }
}

function wrongType(type: Leaf, value: Value): TypeMismatch {
  const complaint = `must be ${describeDescriptor(type)}, not ${describeValue(value)}`;
  return { code: "E301", complaint, ...hintFor(type, value) };
}

/** What was probably meant. A replacement is offered only where it says the same. */
function hintFor(type: Leaf, value: Value): Partial<TypeMismatch> {
  if (type.type === "duration") {
    if (typeof value === "number") return { label: `a duration has a unit: \`${value}s\`` };
    const meantDuration = typeof value === "string" ? parseDuration(value) : undefined;
    return meantDuration === undefined ? {} : instead(renderDuration(meantDuration));
  }
  if (type.type === "size") {
    if (typeof value === "number") return { label: `a size has a unit: \`${value}MiB\`` };
    const meantSize = typeof value === "string" ? parseSize(value) : undefined;
    return meantSize === undefined ? {} : instead(renderSize(meantSize));
  }
  if (typeof value !== "string") {
    return type.type === "string" && (typeof value === "number" || typeof value === "boolean")
      ? instead(`"${value}"`)
      : {};
  }
  if (type.type === "regex") {
    return compilePattern(value, "") instanceof LinearPattern && !value.includes('"')
      ? instead(`re"${value}"`)
      : { label: 'write `re"…"`' };
  }
  const plain = value.trim();
  if (type.type === "number" && plain !== "" && Number.isFinite(Number(plain)))
    return instead(plain);
  if (type.type === "boolean" && /^(true|false)$/.test(plain)) return instead(plain);
  if (type.type === "percent" && /^\d+(\.\d+)?%$/.test(plain)) return instead(plain);
  return {};
}

const instead = (text: string): Partial<TypeMismatch> => ({ replacement: text });

function judgeString(type: Extract<Leaf, { type: "string" }>, value: string): Verdict {
  const { minLength, maxLength, pattern, patternMeaning } = type;
  if (minLength !== undefined && value.length < minLength) {
    const complaint =
      value === "" ? "must not be empty" : `must have at least ${minLength} characters`;
    return { code: "E304", complaint };
  }
  if (maxLength !== undefined && value.length > maxLength) {
    return { code: "E304", complaint: `must have at most ${maxLength} characters` };
  }
  if (pattern === undefined) return { value };
  const compiled = compilePattern(pattern, "");
  if (!(compiled instanceof LinearPattern) || compiled.test(value)) return { value };
  const wanted = patternMeaning ?? `what \`${pattern}\` matches`;
  return { code: "E304", complaint: `must be ${wanted}, not ${describeValue(value)}` };
}

function judgeNumber(type: Extract<Leaf, { type: "number" }>, value: number): Verdict {
  if (type.integer && !Number.isInteger(value)) {
    return { code: "E301", complaint: `must be a whole number, not \`${value}\`` };
  }
  return bounded(type, value, String);
}

function judgeQuantity(
  type: Extract<Leaf, { type: "duration" | "size" | "percent" }>,
  value: Value,
): Verdict {
  if (!(value instanceof Quantity) || value.unit !== type.type) return wrongType(type, value);
  const render = { duration: renderDuration, size: renderSize, percent: renderPercent }[type.type];
  return bounded({ minimum: 0, ...type }, value.amount, render);
}

function bounded(
  bounds: { readonly minimum?: number; readonly maximum?: number },
  value: number,
  render: (value: number) => string,
): Verdict {
  const { minimum, maximum } = bounds;
  if (minimum !== undefined && value < minimum) {
    return {
      code: "E302",
      complaint: `must be at least \`${render(minimum)}\`, not \`${render(value)}\``,
    };
  }
  if (maximum !== undefined && value > maximum) {
    return {
      code: "E302",
      complaint: `must be at most \`${render(maximum)}\`, not \`${render(value)}\``,
    };
  }
  return { value };
}

function judgeHost(value: string): Verdict {
  const parsed = parseHostPattern(value);
  if ("pattern" in parsed) return { value: parsed.pattern };
  return {
    code: "E310",
    complaint: `is no host name or pattern: \`${renderValue(value)}\` ${parsed.fault}`,
  };
}

function judgePath(value: string): Verdict {
  if (value === "") return { code: "E304", complaint: "must not be empty" };
  if (value.includes("\u0000"))
    return { code: "E304", complaint: "must not contain a NUL character" };
  return { value: new PathDraft(value) };
}

function judgeEnum(type: Extract<Leaf, { type: "enum" }>, value: Value): Verdict {
  if (type.values.includes(value as string | number)) return { value };
  const complaint = `must be ${describeDescriptor(type)}, not ${describeValue(value)}`;
  const names = type.values.filter((each) => typeof each === "string");
  const suggestion = typeof value === "string" ? suggest(value, names) : undefined;
  if (suggestion === undefined) return { code: "E303", complaint };
  const quoted = renderValue(suggestion);
  return { code: "E303", complaint, label: suggestFix(quoted), replacement: quoted };
}

/** Plugins see the kind as they wrote it in `c.ref`. */
function judgeReference(kind: string, value: Value, namespace: string | undefined): Verdict {
  const own = namespace === undefined ? kind : `${namespace}.${kind}`;
  if (value instanceof BlockReference) {
    if (value.kind === own || value.kind === kind) {
      return { value: new BlockReference(kind, value.label, value.key) };
    }
    return {
      code: "E311",
      complaint: `must be a reference to a \`${kind}\` block, not to \`${value.key}\``,
    };
  }
  const hint =
    typeof value === "string"
      ? { help: `name the block without quotes: \`${kind}.${value || "NAME"}\`` }
      : {};
  return {
    code: "E301",
    complaint: `must be a reference to a \`${kind}\` block, not ${describeValue(value)}`,
    ...hint,
  };
}
