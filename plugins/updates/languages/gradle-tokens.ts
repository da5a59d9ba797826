/** Tokens of build scripts in Groovy and Kotlin: words, strings and signs, without comments. Runs no code. */

export interface GradleToken {
  readonly kind: "word" | "text" | "number" | "sign";
  /** Of a string: the text between its quotes. */
  readonly value: string;
  /** Of a string: the range between its quotes. */
  readonly start: number;
  readonly end: number;
  /** A string in double quotes, which may contain `$names`. */
  readonly template?: boolean;
  /** The number of open brackets: 2 after `dependencies { implementation(`. */
  readonly depth: number;
  /** It is on a later line than the token before. */
  readonly fresh: boolean;
}

const PATTERN =
  /(?<blank>\s+)|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<long>"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))|"(?<double>(?:\$\{[^{}\n]*\}|[^"\\\n]|\\.?)*)(?:"|(?=\n)|$)|'(?<single>(?:[^'\\\n]|\\.?)*)(?:'|(?=\n)|$)|(?<word>[A-Za-z_][\w]*|`[^`\n]*`)|(?<number>\d[\w.]*)|(?<sign>[\s\S])/gy;

export function gradleTokens(text: string): readonly GradleToken[] {
  const found: GradleToken[] = [];
  let depth = 0;
  let fresh = true;
  PATTERN.lastIndex = 0;
  for (let match = PATTERN.exec(text); match; match = PATTERN.exec(text)) {
    const { blank, comment, long, double, single, word, number, sign } = match.groups ?? {};
    const at = match.index;
    const add = (
      token: Pick<GradleToken, "kind" | "value" | "start"> & Partial<GradleToken>,
    ): void => {
      found.push({ depth, fresh, end: token.start + token.value.length, ...token });
      fresh = false;
    };
    if (blank !== undefined || comment !== undefined)
      fresh ||= (blank ?? comment ?? "").includes("\n");
    else if (long !== undefined)
      add({ kind: "text", value: long.slice(3, -3), start: at + 3, template: true });
    else if (double !== undefined)
      add({ kind: "text", value: double, start: at + 1, template: true });
    else if (single !== undefined) add({ kind: "text", value: single, start: at + 1 });
    else if (word !== undefined) add({ kind: "word", value: word, start: at });
    else if (number !== undefined) add({ kind: "number", value: number, start: at });
    else if (sign !== undefined) {
      if (/[})\]]/.test(sign)) depth = Math.max(0, depth - 1);
      add({ kind: "sign", value: sign, start: at });
      if (/[{([]/.test(sign)) depth += 1;
    }
  }
  return found;
}
