/** Text of the language: the block `updates` with attributes and blocks in it. */

export interface WrittenAttribute {
  readonly name: string;
  /** In the language. */
  readonly value: string;
}

export interface WrittenBlock {
  readonly kind: string;
  readonly label: string;
  readonly attributes: readonly WrittenAttribute[];
}

/** A text of the language, whose `${…}` would be an expression. */
export const quoted = (text: string): string =>
  `"${text
    .toWellFormed()
    .replace(/["\\]|\$(?=\{)/g, "\\$&")
    .replace(/[\p{C}\p{Z}]/gu, (each) =>
      each === " " ? each : `\\u{${each.codePointAt(0)?.toString(16)}}`,
    )}"`;

export const attribute = (name: string, value: string): WrittenAttribute => ({ name, value });

export function rendered(
  own: readonly WrittenAttribute[],
  blocks: readonly WrittenBlock[],
): string {
  const lines = [
    ...aligned(own).map((line) => `  ${line}`),
    ...blocks.flatMap(({ kind, label, attributes }, index) => [
      ...(index > 0 || own.length > 0 ? [""] : []),
      `  ${kind} ${quoted(label)} {`,
      ...aligned(attributes).map((line) => `    ${line}`),
      "  }",
    ]),
  ];
  return `updates "main" {\n${lines.map((line) => `${line}\n`).join("")}}\n`;
}

function aligned(attributes: readonly WrittenAttribute[]): readonly string[] {
  const width = Math.max(0, ...attributes.map(({ name }) => name.length));
  return attributes.map(({ name, value }) => `${name.padEnd(width)} = ${value}`);
}
