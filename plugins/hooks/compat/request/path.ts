/** Looks up paths such as `commits.0.author.name` in a value. */
import { type FieldValue, type FieldValues, isValues } from "./value.js";

export type PathLookup =
  | { readonly found: true; readonly value: FieldValue }
  /** `nothing`: the path leads into `null`, which the existing server treats differently from a missing value. */
  | {
      readonly found: false;
      readonly nothing: boolean /** What is left of the path. */;
      readonly rest: string;
    };

/** `alerts[0].status` means `alerts.0.status`, unless a key has that name. */
export function lookUp(path: string, values: FieldValues): PathLookup {
  const plain = walk(path, values);
  if (plain.found || !path.includes("[")) return plain;
  const dotted = path.replace(/\[(\d+)\]/g, ".$1");
  return dotted === path ? plain : walk(dotted, values);
}

/** On an object, tries the whole rest as a key first, then the part before the first dot. */
function walk(path: string, from: FieldValue): PathLookup {
  let rest = path;
  let value = from;
  for (;;) {
    const missing: PathLookup = { found: false, nothing: value === null, rest };
    if (value === null) return missing;
    const dot = rest.indexOf(".");
    const head = dot === -1 ? rest : rest.slice(0, dot);
    if (Array.isArray(value)) {
      const next = /^\d{1,15}$/.test(head)
        ? (value[Number(head)] as FieldValue | undefined)
        : undefined;
      if (next === undefined) return missing;
      value = next;
    } else if (isValues(value)) {
      if (Object.hasOwn(value, rest)) return { found: true, value: value[rest] as FieldValue };
      if (dot === -1 || !Object.hasOwn(value, head)) return missing;
      value = value[head] as FieldValue;
    } else return missing;
    if (dot === -1) return { found: true, value };
    rest = rest.slice(dot + 1);
  }
}

/** A copy of `values` with `value` at the path, which must exist. */
export function replaceAt(path: string, values: FieldValues, value: FieldValue): FieldValues {
  return replaced(path.replace(/\[(\d+)\]/g, ".$1"), path, values, value) as FieldValues;
}

function replaced(path: string, literal: string, from: FieldValue, value: FieldValue): FieldValue {
  const dot = path.indexOf(".");
  const head = dot === -1 ? path : path.slice(0, dot);
  const rest = path.slice(dot + 1);
  if (Array.isArray(from)) {
    return from.map((each, index) =>
      index === Number(head) ? (dot === -1 ? value : replaced(rest, rest, each, value)) : each,
    );
  }
  if (!isValues(from)) return from;
  for (const whole of [literal, path]) {
    if (Object.hasOwn(from, whole)) return changed(from, whole, value);
  }
  if (!Object.hasOwn(from, head)) return from;
  return changed(from, head, replaced(rest, rest, from[head] as FieldValue, value));
}

function changed(values: FieldValues, name: string, value: FieldValue): FieldValues {
  const copy: Record<string, FieldValue> = Object.assign(Object.create(null), values);
  copy[name] = value;
  return copy;
}
