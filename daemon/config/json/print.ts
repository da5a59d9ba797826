/** From the JSON equivalent back to the language, laid out as the formatter does it. */
import type { Diagnostic, Source } from "../../../grammar/diagnostic.js";
import { format } from "../../../grammar/format.js";
import { quoteString, renderKey } from "../values/render.js";
import { readJsonSource } from "./read.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

/** The equivalent `*.reeve` text; or the errors. */
export function toReeveText(
  source: Source,
): { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] } {
  const { diagnostics } = readJsonSource(source);
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics };
  const text = items(JSON.parse(source.text) as JsonObject).join("\n");
  return format(`${text}\n`);
}

function items(body: JsonObject): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => item(name, value));
}

function item(name: string, value: Json): readonly string[] {
  switch (name) {
    case "$block":
    case "$doc":
      return [];
    case "$let":
      return Object.entries(objectIn(value)).map(
        ([each, inner]) => `let ${each} = ${expression(inner)}`,
      );
    case "$param":
      return Object.entries(objectIn(value)).map(([each, inner]) =>
        parameter(each, objectIn(inner)),
      );
    case "$mixin":
      return Object.entries(objectIn(value)).map(
        ([each, inner]) => `mixin ${quoteString(each)} ${body(objectIn(inner))}`,
      );
    case "$import":
      return listOf(value).map(importItem);
    case "$use":
      return listOf(value).map((each) => `use ${String(each)}`);
    case "$for":
      return listOf(value).map((each) => forItem(objectIn(each)));
    case "$if":
      return listOf(value).map((each) => ifItem(objectIn(each)));
    default: {
      const blocks = listOf(value).filter(isBlock);
      if (blocks.length === 0) return [`${name} = ${expression(value)}`];
      return blocks.map((each) => block(name, each));
    }
  }
}

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);
const objectIn = (value: Json | undefined): JsonObject => (value ?? {}) as JsonObject;
const isBlock = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "$block");

const body = (object: JsonObject): string => `{\n${items(object).join("\n")}\n}`;

function block(kind: string, object: JsonObject): string {
  const labels = (object.$block as readonly Json[])
    .map((label) => ` ${expression(label)}`)
    .join("");
  const doc =
    typeof object.$doc === "string" ? `## ${object.$doc.replaceAll("\n", "\n## ")}\n` : "";
  return `${doc}${kind}${labels} ${body(object)}`;
}

function parameter(name: string, { type, default: fallback }: JsonObject): string {
  const typed = type === undefined ? "" : `: ${String(type)}`;
  return `param ${name}${typed}${fallback === undefined ? "" : ` = ${expression(fallback)}`}`;
}

function importItem(value: Json): string {
  if (typeof value !== "object" || value === null || "$expr" in value) {
    return `import ${expression(value)}`;
  }
  const { path = "", as, with: values } = value as JsonObject;
  const given = Object.entries(objectIn(values)).map(
    ([name, each]) => `${name} = ${expression(each)}`,
  );
  const list = values === undefined ? "" : `(${given.join(", ")})`;
  return `import ${expression(path)}${list}${as === undefined ? "" : ` as ${String(as)}`}`;
}

function forItem({ key, each, in: list, do: inner }: JsonObject): string {
  const names = key === undefined ? String(each) : `${String(key)}, ${String(each)}`;
  return `for ${names} in ${expression(list ?? [])} ${body(objectIn(inner))}`;
}

function ifItem({ test, do: inner, else: otherwise }: JsonObject): string {
  const rest = otherwise === undefined ? "" : ` else ${body(objectIn(otherwise))}`;
  return `if ${expression(test ?? null)} ${body(objectIn(inner))}${rest}`;
}

function expression(value: Json): string {
  if (typeof value === "string") return quoteString(value);
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(expression).join(", ")}]`;
  const object = value as JsonObject;
  if (typeof object.$expr === "string") return object.$expr;
  const entries = Object.entries(object).map(
    ([name, each]) => `${renderKey(name)} = ${expression(each)}`,
  );
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
