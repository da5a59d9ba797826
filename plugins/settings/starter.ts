/** A settings file to start with: every key in a comment, with its meaning and its default. */
import { type PropertySchema, type Server, schemaProperties } from "./servers/server.js";

/** JSON with comments. */
export function starterText(server: Server): string {
  const entries = [...schemaProperties(server)].map(([key, property]) =>
    [...comments(property), `  // ${JSON.stringify(key)}: ${valueText(property)},`].join("\n"),
  );
  return `// Settings of ${oneLine(server.title)}. Remove \`// \` in front of a line to set it.\n{\n${entries.join("\n\n")}\n}\n`;
}

/** Characters of a line of a comment. */
const WIDTH = 100;

function comments({ description = "", enum: choices }: PropertySchema): readonly string[] {
  const allowed = choices
    ? `One of: ${choices.map((each) => JSON.stringify(each)).join(", ")}.`
    : "";
  const words = oneLine(`${description} ${allowed}`).split(" ").filter(Boolean);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(`  // ${word}`);
  }
  return lines;
}

/** The default; where there is none, a value of the type. */
function valueText({ default: byDefault, enum: choices, type }: PropertySchema): string {
  if (byDefault !== undefined) return JSON.stringify(byDefault);
  if (choices?.[0] !== undefined) return JSON.stringify(choices[0]);
  return JSON.stringify(EMPTY[[type].flat()[0] ?? "null"] ?? null);
}

const EMPTY: Readonly<Record<string, unknown>> = {
  boolean: false,
  string: "",
  number: 0,
  integer: 0,
  array: [],
  object: {},
};

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
