/** A node as a name people recognise: `payload.commits[0].id`. */
import { renderValue } from "../values/render.js";
import type { ValueNode } from "../values/value.js";

export function sourceName(node: ValueNode): string {
  switch (node.op) {
    case "name":
    case "local":
      return node.name;
    case "secret":
      return "secret(…)";
    case "constant":
      return renderValue(node.value, 40);
    case "index": {
      const owner = sourceName(node.object);
      if (node.key.op !== "constant") return `${owner}[…]`;
      const key = node.key.value;
      return typeof key === "string" && /^[A-Za-z_]\w*$/.test(key)
        ? `${owner}.${key}`
        : `${owner}[${renderValue(key, 40)}]`;
    }
    case "every":
      return `${sourceName(node.object)}[*]`;
    case "call":
      return `${node.name}(…)`;
    default:
      return "the value";
  }
}
