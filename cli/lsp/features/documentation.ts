/** Documentation of blocks, attributes, functions and names, in Markdown. */

import { describeDescriptor } from "../../../daemon/config/types/describe.js";
import type {
  AttributeDescriptor,
  BlockDescriptor,
  Deprecation,
  ReloadClass,
  ScopeNameDescriptor,
} from "../../../daemon/plugin-api/descriptor.js";
import { type NamedFunction, signatureOf } from "../language/schema.js";

const code = (text: string): string => `\`\`\`reeve\n${text.trim()}\n\`\`\``;
const paragraphs = (...parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== "").join("\n\n");

const reloads: Readonly<Record<ReloadClass, string>> = {
  live: "A change applies at once.",
  restart: "A change replaces the block.",
  daemon: "A change needs a restart of the daemon.",
};

export function aboutBlock(kind: string, { doc, deprecated, examples }: BlockDescriptor): string {
  return paragraphs(
    `**${kind}**`,
    deprecation(deprecated),
    doc,
    ...(examples ?? []).slice(0, 1).map(code),
  );
}

export function aboutAttribute(name: string, attribute: AttributeDescriptor): string {
  const { type, required, default: byDefault, doc, examples, reload, deprecated } = attribute;
  const more = [
    required ? "required" : "",
    byDefault === undefined ? "" : `default \`${byDefault}\``,
  ].filter((part) => part !== "");
  return paragraphs(
    `**${name}**: ${[describeDescriptor(type), ...more].join("; ")}`,
    deprecation(deprecated),
    doc,
    ...(examples ?? []).slice(0, 2).map((text) => code(`${name} = ${text}`)),
    reloads[reload],
  );
}

const deprecation = (deprecated: Deprecation | undefined): string | undefined =>
  deprecated &&
  [
    `Deprecated since ${deprecated.since}.`,
    deprecated.use === undefined ? "" : `Use \`${deprecated.use}\`.`,
    deprecated.note ?? "",
  ]
    .filter((part) => part !== "")
    .join(" ");

export function aboutFunction(described: NamedFunction): string {
  const examples = described.examples.map(([call, result]) => `\`${call}\` is \`${result}\``);
  return paragraphs(code(signatureOf(described)), described.doc, examples.join("  \n"));
}

export function aboutRunTimeName(name: string, { type, doc }: ScopeNameDescriptor): string {
  return paragraphs(`**${name}**: ${describeDescriptor(type)}, known at run time`, doc);
}
