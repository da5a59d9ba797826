/** Groovy and Kotlin build scripts as words, texts and signs. Comments are left out; nothing is run. */

export interface GradleToken {
  readonly kind: "word" | "text" | "number" | "sign";
  /** Of a text: what stands between its quotes. */
  readonly value: string;
  /** Of a text: what stands between its quotes. */
  readonly start: number;
  readonly end: number;
  /** Texts in double quotes have `$names` in them. */
  readonly template?: boolean;
  /** Braces and parentheses around it: `dependencies { implementation(` is 2 deep. */
  readonly depth: number;
  /** On a line of its own after the token before. */
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
