/** The reference page of a block, in Markdown, from nothing but its description. */
import {
  type AttributeDescriptor,
  type BlockDescriptor,
  type NestedBlockDescriptor,
  type ScopeDescriptor,
  type TypeDescriptor,
} from "../../plugin-api/descriptor.js";
import { type BoundPlugin } from "../program.js";
import { describeDescriptor } from "../types/describe.js";
import { renderDuration, renderPercent, renderSize } from "../values/quantity.js";

/** One page for a plugin, a section for each of its blocks. */
export function referenceOf(plugin: BoundPlugin): string {
  const { description, namespace } = plugin;
  const sections = Object.entries(description.blocks).map(([bare, descriptor]) =>
    blockReference(namespace === undefined ? bare : `${namespace}.${bare}`, descriptor),
  );
  const doc = description.doc === undefined ? [] : [description.doc];
  return `${[`# ${description.title}`, ...doc, ...sections].join("\n\n")}\n`;
}

/** `name` is the kind as it is written. */
export function blockReference(name: string, descriptor: BlockDescriptor): string {
  return section(name, descriptor, 2, undefined).join("\n\n");
}

function section(
  name: string,
  descriptor: BlockDescriptor,
  level: number,
  count: string | undefined,
): readonly string[] {
  const { doc, deprecated, examples, attributes, blocks } = descriptor;
  const since = deprecated?.since;
  return [
    `${"#".repeat(level)} \`${header(name, descriptor)}\``,
    ...(count === undefined ? [] : [count]),
    ...(since === undefined ? [] : [`Deprecated since ${since}.${useInstead(deprecated?.use)}`]),
    ...(doc === undefined ? [] : [doc]),
    ...(examples ?? []).map((text) => `\`\`\`reeve\n${text.trim()}\n\`\`\``),
    ...attributeTable(attributes),
    ...scopesIn(attributes).map(scopeTable),
    ...exportTable(descriptor),
    ...Object.entries(blocks).flatMap(([kind, nested]) =>
      section(kind, nested, Math.min(level + 1, 6), counted(nested)),
    ),
  ];
}

function header(name: string, { labels }: BlockDescriptor): string {
  const names = labels.map(({ type, required }, index) => {
    const text =
      type.type === "enum" ? type.values.join(" | ") : index === 0 ? "NAME" : "SECOND NAME";
    return required ? `"${text}"` : `["${text}"]`;
  });
  return [name, ...names, "{ … }"].join(" ");
}

function counted({ minimum, maximum }: NestedBlockDescriptor): string {
  if (minimum === 1 && maximum === 1) return "Exactly one.";
  if (minimum === 0 && maximum === 1) return "At most one.";
  const most = maximum === undefined ? "any number" : `at most ${maximum}`;
  return minimum === 0 ? `${capital(most)}.` : `At least ${minimum}, ${most}.`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const useInstead = (use: string | undefined): string =>
  use === undefined ? "" : ` Use \`${use}\`.`;
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function attributeTable(attributes: BlockDescriptor["attributes"]): readonly string[] {
  const rows = Object.entries(attributes)
    .filter(([, { removed }]) => !removed)
    .map(([name, attribute]) => {
      const cells = [`\`${name}\``, typeText(attribute), defaultText(attribute), about(attribute)];
      return `| ${cells.map(cell).join(" | ")} |`;
    });
  if (rows.length === 0) return [];
  return [["| Attribute | Type | Default | |", "|---|---|---|---|", ...rows].join("\n")];
}

function typeText({ type }: AttributeDescriptor): string {
  const plain = capital(describeDescriptor(type).replace(/^an? /, ""));
  const bounds = boundsText(type);
  const [scope] = scopesOf(type);
  const later = scope ? `, may depend on the ${scope.title}` : "";
  return `${plain}${bounds}${later}`;
}

function boundsText(type: TypeDescriptor): string {
  if (
    type.type !== "number" &&
    type.type !== "duration" &&
    type.type !== "size" &&
    type.type !== "percent"
  ) {
    return "";
  }
  const render = {
    number: String,
    duration: renderDuration,
    size: renderSize,
    percent: renderPercent,
  }[type.type];
  const { minimum, maximum } = type;
  if (minimum !== undefined && maximum !== undefined)
    return `, ${render(minimum)} to ${render(maximum)}`;
  if (minimum !== undefined) return `, at least ${render(minimum)}`;
  return maximum === undefined ? "" : `, at most ${render(maximum)}`;
}

function defaultText({ required, default: text }: AttributeDescriptor): string {
  if (text !== undefined) return `\`${text}\``;
  return required ? "required" : "";
}

function about({ doc, examples, deprecated, reload }: AttributeDescriptor): string {
  const parts = [
    doc,
    deprecated && `Deprecated since ${deprecated.since}.${useInstead(deprecated.use)}`,
    examples && `For example ${examples.map((text) => `\`${text}\``).join(", ")}.`,
    reload === "live" ? "Taken over while running." : undefined,
    reload === "daemon" ? "Taken over by the next start of the daemon." : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

function scopesOf(type: TypeDescriptor): readonly ScopeDescriptor[] {
  switch (type.type) {
    case "expression":
      return [type.scope];
    case "list":
      return scopesOf(type.items);
    case "map":
      return scopesOf(type.values);
    case "union":
      return type.of.flatMap(scopesOf);
    default:
      return [];
  }
}

/** Every scope once, by its title. */
function scopesIn(attributes: BlockDescriptor["attributes"]): readonly ScopeDescriptor[] {
  const all = Object.values(attributes).flatMap(({ type }) => scopesOf(type));
  return [...new Map(all.map((scope) => [scope.title, scope])).values()];
}

function scopeTable({ title, names }: ScopeDescriptor): string {
  const rows = Object.entries(names).map(
    ([name, { type, doc }]) =>
      `| \`${name}\` | ${cell(capital(describeDescriptor(type)))} | ${cell(doc ?? "")} |`,
  );
  return [`Names of the ${title}:`, "", "| Name | Type | |", "|---|---|---|", ...rows].join("\n");
}

function exportTable({ exports }: BlockDescriptor): readonly string[] {
  const rows = Object.entries(exports).map(
    ([name, { type, doc }]) =>
      `| \`${name}\` | ${cell(capital(describeDescriptor(type)))} | ${cell(doc ?? "")} |`,
  );
  if (rows.length === 0) return [];
  return [["Other blocks may read:", "", "| Name | Type | |", "|---|---|---|", ...rows].join("\n")];
}
