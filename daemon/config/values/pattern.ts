/**
 * Regular expressions on the RE2 engine: time linear in the text, whatever the pattern. Compiled once per process,
 * since the same pattern stands in every generation of a configuration.
 */
import { type Matcher, RE2JS } from "re2js";
import type { Pattern } from "../../plugin-api/values.js";
import { limits } from "../limits.js";

const flagBits: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
};

/** Patterns kept compiled; the oldest are forgotten first. */
const KEPT = 2_000;
const compiled = new Map<string, LinearPattern | PatternFault>();

/** A pattern that cannot be compiled. */
export class PatternFault {
  /** What is wrong, without a full stop. */
  readonly message: string;
  /** Where in the pattern's source it is wrong. */
  readonly start: number;
  readonly end: number;

  constructor(message: string, start: number, end: number) {
    this.message = message;
    this.start = start;
    this.end = end;
  }
}

export class LinearPattern implements Pattern {
  readonly source: string;
  readonly flags: string;
  readonly #engine: RE2JS;

  constructor(source: string, flags: string, engine: RE2JS) {
    this.source = source;
    this.flags = flags;
    this.#engine = engine;
  }

  test(text: string): boolean {
    return this.#engine.test(text);
  }

  match(text: string): ReadonlyArray<string | undefined> | undefined {
    const found = this.#engine.exec(text);
    return found === null ? undefined : Array.from(found, (group) => group ?? undefined);
  }

  /**
   * Every occurrence replaced; `$1` and `$<name>` stand for groups, `$&` for the whole, `$$` for a dollar sign.
   * `undefined` where the result would be longer than `limit`.
   */
  replace(text: string, replacement: string, limit: number): string | undefined {
    const matcher = this.#engine.matcher(text);
    let result = "";
    let at = 0;
    while (matcher.find()) {
      result += text.slice(at, matcher.start()) + expand(replacement, matcher);
      at = matcher.end();
      if (result.length > limit) return undefined;
    }
    result += text.slice(at);
    return result.length > limit ? undefined : result;
  }

  toString(): string {
    return `re"${this.source}"${this.flags}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

function expand(replacement: string, matcher: Matcher): string {
  return replacement.replace(
    /\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)/g,
    (mark, dollar, whole, number, name) => {
      if (dollar) return "$";
      if (whole) return matcher.group() ?? "";
      if (name !== undefined)
        return Object.hasOwn(matcher.namedGroups, name) ? (matcher.group(name) ?? "") : "";
      return Number(number) <= matcher.groupCount() ? (matcher.group(Number(number)) ?? "") : mark;
    },
  );
}

/** Compiles a pattern, or says what is wrong with it. Flags: `i`, `m`, `s`. */
export function compilePattern(source: string, flags: string): LinearPattern | PatternFault {
  const key = `${flags}/${source}`;
  const known = compiled.get(key);
  if (known) return known;
  const made = compile(source, flags);
  compiled.set(key, made);
  if (compiled.size > KEPT) compiled.delete(compiled.keys().next().value as string);
  return made;
}

function compile(source: string, flags: string): LinearPattern | PatternFault {
  if (source.length > limits.pattern) {
    return new PatternFault(`it is longer than ${limits.pattern} characters`, 0, source.length);
  }
  let bits = 0;
  for (const flag of flags) {
    const bit = flagBits[flag];
    if (bit === undefined) {
      return new PatternFault(`unknown flag \`${flag}\`: there are i, m and s`, 0, source.length);
    }
    bits |= bit;
  }
  try {
    return new LinearPattern(source, flags, RE2JS.compile(source, bits));
  } catch (thrown) {
    return explain(source, thrown as { error?: string; input?: string | null });
  }
}

/** The engine names the piece it stumbled on, not its place; a construct it does not have gets its real name. */
function explain(source: string, thrown: { error?: string; input?: string | null }): PatternFault {
  const piece = thrown.input ?? "";
  const at = piece === "" ? -1 : source.indexOf(piece);
  const start = at === -1 ? Math.max(0, source.length - 1) : at;
  const end = at === -1 ? source.length : at + piece.length;
  if (/^\(\?<?[=!]/.test(piece)) {
    return new PatternFault("look-around needs backtracking, which is not done here", start, end);
  }
  if (/^\\[1-9]/.test(piece)) {
    return new PatternFault(
      "a back-reference needs backtracking, which is not done here",
      start,
      end,
    );
  }
  return new PatternFault(thrown.error ?? "the pattern cannot be read", start, end);
}
