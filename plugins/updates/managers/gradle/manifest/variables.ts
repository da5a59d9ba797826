/** Named values of build scripts and `gradle.properties`: variables, extra properties, members of maps and objects. */
import type { GradleToken } from "../../../languages/gradle-tokens.js";
import type { TextRange } from "../../../text/text.js";
import type { RepositoryPath } from "../../contract.js";

export interface VariableValue {
  readonly text: string;
  readonly file: RepositoryPath;
  readonly range: TextRange;
}

/** By the name in references: `springVersion`, `versions.spring`. */
export type Variables = ReadonlyMap<string, VariableValue>;

const HOLDERS = /^(?:(?:project|rootProject|ext|extra|properties|gradle|this)\.)+/;

/** `rootProject.ext["a"]`, `project.property("a")`, `versions.a as String` → the name of the variable. */
export const referenceName = (expression: string): string =>
  expression
    .trim()
    .replace(/\s+as\s+\w+$/, "")
    .replace(/(?:\.get(?:\(\))?|!!|\.toString\(\))$/, "")
    .replace(/\b(?:findProperty|property|getProperty)\(\s*["']([\w.-]+)["']\s*\)/, "$1")
    .replace(/\[\s*["']([\w.-]+)["']\s*\]/g, ".$1")
    .replace(HOLDERS, "");

const PLAIN = /^[^$\\]*$/;

export function variablesIn(file: RepositoryPath, list: readonly GradleToken[]): Variables {
  const variables = new Map<string, VariableValue>();
  const objects: { readonly name: string; readonly depth: number }[] = [];
  const add = (name: string, { value: text, start, end }: GradleToken): void => {
    if (!PLAIN.test(text)) return;
    const inside = objects.map((object) => `${object.name}.`).join("");
    const full = referenceName(`${inside}${name}`);
    if (!variables.has(full)) variables.set(full, { text, file, range: { start, end } });
  };
  for (const [at, token] of list.entries()) {
    const is = (ahead: number, value: string): boolean =>
      list[at + ahead]?.kind !== "text" && list[at + ahead]?.value === value;
    const text = (ahead: number): GradleToken | undefined =>
      list[at + ahead]?.kind === "text" ? list[at + ahead] : undefined;
    while ((objects.at(-1)?.depth ?? -1) >= token.depth && token.value === "}") objects.pop();
    if (token.kind === "word") {
      const next = list[at + 1];
      if (token.value === "object" && next?.kind === "word" && is(2, "{"))
        objects.push({ name: next.value, depth: token.depth });
      // val name: String = "1.0"
      const typed = is(-1, ":") && /^va[lr]$/.test(list[at - 3]?.value ?? "");
      const name = typed ? (list[at - 2]?.value ?? "") : pathAt(list, at);
      const value = text(2);
      if (is(1, "=") && value && isWhole(list, at + 2)) add(name, value);
      const first = list[at + 3];
      if (is(1, "=") && (is(2, "[") || (is(2, "mapOf") && is(3, "("))))
        for (const [key, member] of members(list, at + (is(2, "[") ? 3 : 4)))
          add(`${name}.${key}`, member);
      const delegated = text(4);
      if (is(1, "by") && is(2, "extra") && /^[({]$/.test(first?.value ?? "") && delegated)
        add(typed ? name : token.value, delegated);
      const [key, set] = [text(2), text(4)];
      if (token.value === "set" && is(1, "(") && key && is(3, ",") && set) add(key.value, set);
      // A version that `versionRef` in a settings script refers to.
      if (token.value === "version" && is(1, "(") && key && is(3, ",") && set)
        add(`catalog.${key.value}`, set);
      // ext["a"] = "1"
      const assigned = text(5);
      if (is(1, "[") && key && is(3, "]") && is(4, "=") && assigned)
        add(`${name}.${key.value}`, assigned);
    }
  }
  return variables;
}

/** The dotted name that ends at `at`: `ext.versions.a`. */
function pathAt(list: readonly GradleToken[], at: number): string {
  let name = list[at]?.value ?? "";
  for (let dot = at - 1; list[dot]?.value === "." && list[dot - 1]?.kind === "word"; dot -= 2)
    name = `${list[dot - 1]?.value}.${name}`;
  return name;
}

/** Is the string at `at` a whole expression? */
const isWhole = (list: readonly GradleToken[], at: number): boolean =>
  !["+", ".", "-"].includes(list[at + 1]?.value ?? "") || list[at + 1]?.fresh === true;

/** `a: '1', 'b': '2'`, or `"a" to "1"`, up to the closing bracket. */
function* members(
  list: readonly GradleToken[],
  from: number,
): Generator<readonly [key: string, value: GradleToken]> {
  const depth = list[from]?.depth ?? 0;
  for (let at = from; at < list.length && (list[at]?.depth ?? 0) >= depth; at += 1) {
    const [key, sign, value] = list.slice(at, at + 3);
    if (!key || !sign || value?.kind !== "text" || key.kind === "sign") continue;
    if ((sign.value === ":" || sign.value === "to") && sign.kind !== "text")
      yield [key.value, value];
  }
}

/** `name=value` lines of a properties file. */
export function readProperties(file: RepositoryPath, text: string): Variables {
  const variables = new Map<string, VariableValue>();
  for (const match of text.matchAll(
    /^[ \t]*([\w.-]+)[ \t]*[=:][ \t]*([^\s#!][^\r\n]*?)[ \t]*\r?$/dgm,
  )) {
    const [, name = "", value = ""] = match;
    const [start = 0, end = 0] = match.indices?.[2] ?? [];
    variables.set(name, { text: value, file, range: { start, end } });
  }
  return variables;
}
