/** The tree as text, for case files: one line an item, expressions in parentheses, no places. */
import type { Body, CallArgument, ExpressionNode, File, Item } from "../tree.js";

export function outline({ items }: File): string {
  return items.length === 0 ? "(nothing)" : items.flatMap((item) => itemLines(item)).join("\n");
}

function itemLines(item: Item): readonly string[] {
  const [first = "", ...rest] = bare(item);
  const doc = item.doc === undefined ? [] : item.doc.split("\n").map((line) => `## ${line}`);
  return [...doc, item.disabled ? `/- ${first}` : first, ...rest];
}

function bare(item: Item): readonly string[] {
  switch (item.kind) {
    case "attribute":
      return [`attribute ${item.name.text} = ${expression(item.value)}`];
    case "let":
      return [`let ${item.name.text} = ${expression(item.value)}`];
    case "param": {
      const type = item.type ? `: ${item.type.text}` : "";
      const value = item.value ? ` = ${expression(item.value)}` : "";
      return [`param ${item.name.text}${type}${value}`];
    }
    case "import": {
      const given = item.arguments ? `(${item.arguments.map(argument).join(" ")})` : "";
      const alias = item.alias ? ` as ${item.alias.text}` : "";
      return [`import ${expression(item.path)}${given}${alias}`];
    }
    case "use":
      return [`use ${expression(item.target)}`];
    case "mixin":
      return [`mixin ${expression(item.label)}`, ...bodyLines(item.body)];
    case "for": {
      const names = [...(item.key ? [item.key.text] : []), item.variable.text].join(", ");
      return [`for ${names} in ${expression(item.iterable)}`, ...bodyLines(item.body)];
    }
    case "if":
      return [
        `if ${expression(item.test)}`,
        ...bodyLines(item.consequent),
        ...(item.alternate ? ["else", ...bodyLines(item.alternate)] : []),
      ];
    case "block": {
      const type = item.type.map(({ text }) => text).join(".");
      return [["block", type, ...item.labels.map(expression)].join(" "), ...bodyLines(item.body)];
    }
    case "bad_item":
      return ["bad item"];
  }
}

function bodyLines({ items }: Body): readonly string[] {
  return items.flatMap((item) => itemLines(item)).map((line) => `  ${line}`);
}

export function expression(node: ExpressionNode): string {
  switch (node.kind) {
    case "null":
      return "null";
    case "boolean":
    case "number":
      return String(node.value);
    case "duration":
      return `${node.milliseconds}ms`;
    case "size":
      return `${node.bytes}B`;
    case "percent":
      return `(ratio ${node.ratio})`;
    case "regex":
      return `(regex ${JSON.stringify(node.source)} ${JSON.stringify(node.flags)})`;
    case "string":
      return `${form(node)}${JSON.stringify(node.value)}`;
    case "template": {
      const parts = node.parts.map((part) =>
        part.kind === "text" ? JSON.stringify(part.value) : expression(part.expression),
      );
      return `(template ${form(node)}${parts.join(" ")})`;
    }
    case "name":
      return node.text;
    case "member":
      return `(member ${expression(node.object)} ${node.name.text})`;
    case "index":
      return `(index ${expression(node.object)} ${node.index ? expression(node.index) : "*"})`;
    case "call": {
      const given = node.arguments.map(argument);
      return `(${["call", expression(node.callee), ...given].join(" ")})`;
    }
    case "unary":
      return `(${node.operator} ${expression(node.operand)})`;
    case "binary":
      return `(${node.operator} ${expression(node.left)} ${expression(node.right)})`;
    case "conditional":
      return `(? ${[node.test, node.consequent, node.alternate].map(expression).join(" ")})`;
    case "list":
      return `[${node.items.map(expression).join(" ")}]`;
    case "comprehension": {
      const test = node.test ? ` if ${expression(node.test)}` : "";
      const key = node.key ? `${node.key.text}, ` : "";
      const head = `for ${key}${node.variable.text} in ${expression(node.iterable)}${test}:`;
      const body = expression(node.body);
      return node.name ? `{${head} ${expression(node.name)} => ${body}}` : `[${head} ${body}]`;
    }
    case "object": {
      const entries = node.entries.map(
        ({ key, value }) => `${expression(key)}=${expression(value)}`,
      );
      return `{${entries.join(" ")}}`;
    }
    case "bad_expression":
      return "(bad)";
  }
}

const argument = ({ name, value }: CallArgument): string =>
  name ? `${name.text}=${expression(value)}` : expression(value);

function form(node: { readonly form: string; readonly language?: string }): string {
  if (node.form === "quoted") return "";
  return `${node.form}${node.language === undefined ? "" : `:${node.language}`} `;
}
