/** What a completion inserts, in the syntax of editors' snippets. */
import type {
  AttributeDescriptor,
  BlockDescriptor,
  TypeDescriptor,
} from "../../../../daemon/plugin-api/descriptor.js";
import { alternativesOf } from "../../language/schema.js";

/** `$`, `}` and `\` mean something in a snippet. */
const literal = (text: string): string => text.replace(/[\\$}]/g, "\\$&");

/** `hook "${1:name}" { … }` with its required attributes. */
export function blockSnippet(kind: string, { labels, attributes }: BlockDescriptor): string {
  let stop = 0;
  const header = labels.map(({ type }) => {
    stop += 1;
    return type.type === "enum" ? `"\${${stop}|${type.values.join(",")}|}"` : `"\${${stop}:name}"`;
  });
  const required = Object.entries(attributes)
    .filter(([, { required: isRequired, removed }]) => isRequired && !removed)
    .map(([name, { type }]) => {
      stop += 1;
      return `\t${name} = ${valueSnippet(type, stop)}\n`;
    });
  return `${[kind, ...header].join(" ")} {\n${required.join("")}\t$0\n}`;
}

export function attributeSnippet(name: string, { type }: AttributeDescriptor): string {
  return `${name} = ${valueSnippet(type, 1)}$0`;
}

function valueSnippet(type: TypeDescriptor, stop: number): string {
  const [first] = alternativesOf(type);
  switch (first?.type) {
    case "enum":
      return `\${${stop}|${first.values.map((value) => JSON.stringify(value)).join(",")}|}`;
    case "boolean":
      return `\${${stop}|true,false|}`;
    case "reference":
      return `${first.kind}.\${${stop}}`;
    case "secret":
      return `secret("env:\${${stop}:NAME}")`;
    case "list":
      return `[${placeholderFor(first.items)?.text ?? `\${${stop}}`}]`;
    case "map":
    case "object":
      return `{ \${${stop}} }`;
    default: {
      const known = first && placeholderFor(first, stop);
      return known?.text ?? `\${${stop}}`;
    }
  }
}

/** A value of a type to write over; `undefined` where any would mislead. */
export function placeholderFor(
  { type }: TypeDescriptor,
  stop = 1,
): { readonly label: string; readonly text: string } | undefined {
  const known: Readonly<Record<string, string>> = {
    duration: "30s",
    size: "64MiB",
    percent: "50%",
    number: "1",
  };
  if (type === "string" || type === "path" || type === "host_pattern")
    return { label: '""', text: `"\${${stop}}"` };
  if (type === "regex") return { label: 're""', text: `re"\${${stop}}"` };
  const example = Object.hasOwn(known, type) ? known[type] : undefined;
  return example === undefined
    ? undefined
    : { label: example, text: `\${${stop}:${literal(example)}}` };
}
