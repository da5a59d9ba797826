/** Turns zod's issues into diagnostics, each at the location of its value. */
import type * as z from "zod";
import type { Diagnostic, RelatedLocation, SourceLocation } from "../../../grammar/diagnostic.js";
import { suggest } from "../../../grammar/suggest.js";
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { createDiagnostic, suggestFix } from "../diagnose.js";
import { ownProperty } from "../own-property.js";
import { renderPath } from "../render-path.js";
import { describeDescriptor, describeValue } from "../types/describe.js";
import { renderValue } from "../values/render.js";
import { isList, isObject, Residual, type Value } from "../values/value.js";
import { openMismatch } from "./open-values.js";
import { mismatchOf, type TypeMismatch } from "./type-mismatch.js";
import type { ValueLocation } from "./value-location.js";

/** The value of an issue, and its location. */
export interface Subject {
  /** The attribute's name, then the path into its value. */
  readonly path: ReadonlyArray<string | number>;
  readonly type: TypeDescriptor;
  readonly value: Value;
  /** The location of the value at a path, and its origin if it is written elsewhere. */
  locationOf(path: ReadonlyArray<string | number>): ValueLocation;
  /** The location of the last name of a path, if it is written in the block. */
  nameAt(path: ReadonlyArray<string | number>): SourceLocation | undefined;
  /** Whether the text at the location is a literal, so that a fix can replace it. */
  isLiteral(location: SourceLocation): boolean;
}

export function complaintsOf(
  issues: readonly z.core.$ZodIssue[],
  subject: Subject,
): readonly Diagnostic[] {
  return issues.flatMap((issue) => {
    const path = [...subject.path, ...(issue.path as Array<string | number>)];
    return mismatchesOf(
      issue,
      typeAt(subject.type, issue.path),
      valueAt(subject.value, issue.path),
    ).map(({ mismatch, inner }) => diagnostic(mismatch, [...path, ...inner], subject));
  });
}

function diagnostic(
  mismatch: TypeMismatch,
  path: ReadonlyArray<string | number>,
  subject: Subject,
): Diagnostic {
  const name = mismatch.about === "name" ? subject.nameAt(path) : undefined;
  if (name) return aboutName(mismatch, path, name);
  const { location, origin } = subject.locationOf(path);
  const replacement = mismatch.replacement && valueIn(mismatch.replacement, location.file);
  const target = origin ?? location;
  const fix =
    replacement !== undefined && subject.isLiteral(target)
      ? { title: `write \`${replacement}\``, edits: [{ ...target, text: replacement }] }
      : undefined;
  const related: RelatedLocation[] = origin
    ? [{ location: origin, message: "the value comes from here" }]
    : [];
  return createDiagnostic(
    mismatch.code,
    location,
    `\`${renderPath(path)}\` ${mismatch.complaint}`,
    {
      label: mismatch.label ?? (replacement === undefined ? undefined : `write \`${replacement}\``),
      help: mismatch.help,
      fix,
      related,
    },
  );
}

/** The name is invalid, not the value. */
function aboutName(
  mismatch: TypeMismatch,
  path: ReadonlyArray<string | number>,
  location: SourceLocation,
): Diagnostic {
  const { code, replacement, help } = mismatch;
  const text = isJson(location.file) ? JSON.stringify(replacement) : replacement;
  const fix =
    replacement !== undefined && text !== undefined
      ? { title: `rename to \`${replacement}\``, edits: [{ ...location, text }] }
      : undefined;
  return createDiagnostic(code, location, `\`${renderPath(path)}\` ${mismatch.complaint}`, {
    label: suggestFix(replacement),
    help,
    fix,
  });
}

const isJson = (file: string): boolean => file.endsWith(".json");

/** A literal in the language or in its JSON equivalent. */
function valueIn(text: string, file: string): string {
  if (!isJson(file) || /^(".*"|-?\d+(\.\d+)?|true|false)$/.test(text)) return text;
  return `{ "$expr": ${JSON.stringify(text)} }`;
}

interface Located {
  readonly mismatch: TypeMismatch;
  readonly inner: ReadonlyArray<string | number>;
}

function mismatchesOf(
  issue: z.core.$ZodIssue,
  type: TypeDescriptor | undefined,
  value: Value | undefined,
): readonly Located[] {
  const own = mismatchOf(issue);
  if (own) return [{ mismatch: { ...asList(type, value), ...own }, inner: [] }];
  const here = (mismatch: TypeMismatch): readonly Located[] => [{ mismatch, inner: [] }];
  switch (issue.code) {
    case "invalid_union":
      return ofUnion(issue, type, value);
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ mismatch: unknownKey(key, type), inner: [key] }));
    case "too_small":
      return here({
        code: "E317",
        complaint: `must have at least ${counted(Number(issue.minimum))}`,
      });
    case "too_big":
      return here({
        code: "E317",
        complaint: `must have at most ${counted(Number(issue.maximum))}`,
      });
    default:
      if (value instanceof Residual && type) return here(openMismatch(value, type));
      return here({
        code: "E301",
        complaint: `must be ${wanted(type)}, not ${given(value)}`,
        ...asList(type, value),
      });
  }
}

/** A text where a list of texts is needed: its words as a list, for a command. */
function asList(
  type: TypeDescriptor | undefined,
  value: Value | undefined,
): Partial<TypeMismatch> | undefined {
  if (type?.type === "map" && isList(value ?? null)) {
    return { help: 'an object has names and values: { A = "b" }' };
  }
  if (type?.type !== "list" || typeof value !== "string") return undefined;
  const items = /^(string|enum|host_pattern|path|expression|union)$/.test(type.items.type);
  if (!items) return undefined;
  const words = value.split(" ").filter((word) => word !== "");
  const plain = words.length > 0 && words.every((word) => /^[\w./:@%+=,*-]+$/.test(word));
  const written = plain ? words.map((word) => `"${word}"`).join(", ") : renderValue(value);
  return { replacement: `[${written}]` };
}

const counted = (count: number): string => (count === 1 ? "1 element" : `${count} elements`);
const wanted = (type: TypeDescriptor | undefined): string =>
  type ? describeDescriptor(type) : "something else";
const given = (value: Value | undefined): string =>
  value === undefined ? "nothing" : describeValue(value);

/**
 * The branch that came furthest tells more than all together: `["GET", 5]` is a bad list, not neither list nor string.
 * Where none came anywhere, one sentence names all that would do.
 */
function ofUnion(
  issue: Extract<z.core.$ZodIssue, { code: "invalid_union" }>,
  type: TypeDescriptor | undefined,
  value: Value | undefined,
): readonly Located[] {
  const branches = issue.errors;
  const deep = branches.findIndex((issues) => issues.every((each) => each.path.length > 0));
  const deepIssues = branches[deep];
  if (deepIssues && deepIssues.length > 0) {
    const branch = type?.type === "union" ? type.of[deep] : undefined;
    return deepIssues.flatMap((inner) =>
      mismatchesOf(
        inner,
        branch && typeAt(branch, inner.path),
        value && valueAt(value, inner.path),
      ).map((each) => ({
        ...each,
        inner: [...(inner.path as Array<string | number>), ...each.inner],
      })),
    );
  }
  const mismatches = branches.flatMap((issues) => issues.map((each) => mismatchOf(each)));
  const specific = mismatches.find((mismatch) => mismatch && mismatch.code !== "E301");
  const mismatch = specific ?? mismatches.find((each) => each?.replacement !== undefined);
  const complaintText = `must be ${wanted(type)}, not ${given(value)}`;
  const list = type?.type === "union" ? type.of.find((each) => each.type === "list") : undefined;
  if (specific?.code === "E214" || specific?.code === "E215" || specific?.code === "E306") {
    return [{ mismatch: specific, inner: [] }];
  }
  return [
    {
      mismatch: {
        code: "E301",
        ...mismatch,
        complaint: complaintText,
        ...(mismatch ? {} : asList(list, value)),
      },
      inner: [],
    },
  ];
}

function unknownKey(key: string, type: TypeDescriptor | undefined): TypeMismatch {
  const names = type?.type === "object" ? Object.keys(type.attributes) : [];
  const suggestion = suggest(key, names);
  return {
    code: "E101",
    complaint: "is not known here",
    about: "name",
    replacement: suggestion,
    help:
      suggestion === undefined
        ? `known are ${names.map((name) => `\`${name}\``).join(", ")}`
        : undefined,
  };
}

function typeAt(
  type: TypeDescriptor,
  path: ReadonlyArray<PropertyKey>,
): TypeDescriptor | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return type;
  const inner =
    type.type === "list"
      ? type.items
      : type.type === "map"
        ? type.values
        : type.type === "object"
          ? ownProperty(type.attributes, String(key))?.type
          : undefined;
  return inner && typeAt(inner, rest);
}

function valueAt(value: Value, path: ReadonlyArray<PropertyKey>): Value | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (isList(value)) {
    const item = value[Number(key)];
    return item === undefined ? undefined : valueAt(item, rest);
  }
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  return valueAt(value[String(key)] as Value, rest);
}
