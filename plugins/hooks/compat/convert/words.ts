/** Writes tokens of the language. */

/** Why a part of a hooks file cannot be converted. */
export class UnconvertibleError extends Error {
  override readonly name = "Unsayable";
}

export function quoted(text: string): string {
  const escaped = [...text].map((character) => {
    const plain = escapes[character];
    if (plain !== undefined) return plain;
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 || code === 0x7f ? `\\u{${code.toString(16)}}` : character;
  });
  return `"${escaped.join("").replaceAll("${", "\\${")}"`;
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  "\n": "\\n",
  "\t": "\\t",
};

/** A pattern must not contain its own delimiter. */
export const pattern = (source: string): string =>
  `re"${source.replaceAll('"', "\\x22").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;

/** `commits.0.author` of `payload` is `payload.commits[0].author`. */
export function reach(root: string, path: string): string {
  const steps = path.replace(/\[(\d+)\]/g, ".$1").split(".");
  return steps.reduce((whole, step) => {
    if (/^\d+$/.test(step)) return `${whole}[${Number(step)}]`;
    return plainName.test(step) && !keywords.has(step)
      ? `${whole}.${step}`
      : `${whole}[${quoted(step)}]`;
  }, root);
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const keywords = new Set(["true", "false", "null", "if", "for", "in", "let", "import"]);

export const list = (items: readonly string[]): string => `[${items.join(", ")}]`;

export const object = (entries: ReadonlyArray<readonly [name: string, value: string]>): string =>
  `{ ${entries.map(([name, value]) => `${quoted(name)} = ${value}`).join(", ")} }`;
