/** Turns hand-written JSON or YAML sandboxes into the JSON form of the language. */
import { parse as parseYaml } from "yaml";
import { FirewallError } from "../../plugins/firewall/errors.js";

/** The name of a file's only sandbox. */
const only = "sandbox";
/** Blocks, written as objects by label. */
const blockKinds = new Set(["mount", "credential", "limit"]);
/** Attributes with literals of the language as text: `5m`, `512MiB`. */
const literals = new Set(["timeout", "memory"]);

/** Reads `{ "sandbox": { "build": { … } } }` or one sandbox's attributes. @throws {FirewallError} `invalid_config` */
export function languageForm(path: string, text: string): string {
  const content = parsed(path, text);
  if (!isObject(content)) throw invalid(path, "it is not an object");
  const named = isObject(content.sandbox) ? content.sandbox : { [only]: content };
  const blocks = Object.entries(named).map(([name, values]) => {
    if (!isObject(values)) throw invalid(path, `the sandbox "${name}" is not an object`);
    return block(name, values);
  });
  return JSON.stringify({ sandbox: blocks });
}

function block(name: string, values: Readonly<Record<string, unknown>>): object {
  const attributes = Object.entries(values).map(([key, value]) => {
    if (blockKinds.has(key) && isObject(value)) {
      return [key, Object.entries(value).map(([at, rest]) => ({ $block: [at], ...Object(rest) }))];
    }
    const isLiteral = literals.has(key) && typeof value === "string";
    return [key, isLiteral ? { $expr: value } : value];
  });
  return { $block: [name], ...Object.fromEntries(attributes) };
}

function parsed(path: string, text: string): unknown {
  try {
    return path.endsWith(".json") ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 100 });
  } catch (thrown) {
    const [reason = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
    throw invalid(path, reason);
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (path: string, reason: string): FirewallError =>
  new FirewallError("invalid_config", `${path} cannot be used with --config: ${reason}`);
