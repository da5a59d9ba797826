/** Decodes a tree into hooks. Keys ignore case; a value of a wrong kind fails the file. */
import type { FileHook, FilePosition, MatchRule, ParameterReference, RuleMatch } from "../hook.js";
import { scalarOf } from "./scalars.js";
import type { HooksFileIssue, HooksFileMember, HooksFileNode } from "./tree.js";

/** @throws Wrong at the first value of a wrong kind */
export function decodeHooks(tree: HooksFileNode | undefined): readonly FileHook[] {
  if (tree === undefined || isNull(tree)) return [];
  return listOf(tree, "the file", hookOf);
}

export class Wrong extends Error {
  readonly complaint: HooksFileIssue;
  constructor(position: FilePosition, message: string) {
    super(message);
    this.complaint = { position, message };
  }
}

const isNull = (node: HooksFileNode): boolean =>
  node.kind === "scalar" && scalarOf(node.text, node.plain).is === "null";

/** The members of a map, by name. */
class Fields {
  readonly position: FilePosition;
  readonly #members: ReadonlyMap<string, HooksFileMember>;

  constructor(node: HooksFileNode, what: string) {
    if (node.kind !== "map") throw new Wrong(node.position, `${what} is an object`);
    this.position = node.position;
    this.#members = new Map(node.members.map((member) => [member.name.toLowerCase(), member]));
  }

  /** The last of several members counts; null counts as absent. */
  node(name: string): HooksFileNode | undefined {
    const value = this.#members.get(name)?.value;
    return value && !isNull(value) ? value : undefined;
  }

  text(name: string): string {
    const node = this.node(name);
    return node ? plainText(node, name) : "";
  }

  whole(name: string): number {
    const node = this.node(name);
    if (!node) return 0;
    const scalar = node.kind === "scalar" ? scalarOf(node.text, node.plain) : undefined;
    if (scalar?.is !== "integer") throw new Wrong(node.position, `\`${name}\` is a whole number`);
    return Number(scalar.integer);
  }

  truth(name: string): boolean {
    const node = this.node(name);
    if (!node) return false;
    const scalar = node.kind === "scalar" ? scalarOf(node.text, node.plain) : undefined;
    if (scalar?.is !== "truth") throw new Wrong(node.position, `\`${name}\` is true or false`);
    return scalar.truth;
  }

  list<T>(name: string, each: (node: HooksFileNode, what: string) => T): readonly T[] {
    const node = this.node(name);
    return node ? listOf(node, `\`${name}\``, each) : [];
  }
}

function plainText(node: HooksFileNode, name: string): string {
  if (node.kind !== "scalar") throw new Wrong(node.position, `\`${name}\` is a text`);
  return scalarOf(node.text, node.plain).text;
}

function listOf<T>(
  node: HooksFileNode,
  what: string,
  each: (node: HooksFileNode, what: string) => T,
): readonly T[] {
  if (node.kind !== "list") throw new Wrong(node.position, `${what} is a list`);
  return node.items.map((item) => each(item, `an entry of ${what}`));
}

function hookOf(node: HooksFileNode): FileHook {
  const fields = new Fields(node, "a hook");
  const rule = fields.node("trigger-rule");
  return {
    id: fields.text("id"),
    command: fields.text("execute-command"),
    directory: fields.text("command-working-directory"),
    message: fields.text("response-message"),
    headers: fields.list("response-headers", headerOf),
    successStatus: fields.whole("success-http-response-code"),
    mismatchStatus: fields.whole("trigger-rule-mismatch-http-response-code"),
    contentType: fields.text("incoming-payload-content-type"),
    methods: fields
      .list("http-methods", (item) => plainText(item, "http-methods").trim().toUpperCase())
      .filter((method) => method !== ""),
    includeOutput: fields.truth("include-command-output-in-response"),
    includeOutputOnError: fields.truth("include-command-output-in-response-on-error"),
    parseAsJson: fields.list("parse-parameters-as-json", referenceOf),
    args: fields.list("pass-arguments-to-command", referenceOf),
    env: fields.list("pass-environment-to-command", referenceOf),
    files: fields.list("pass-file-to-command", referenceOf),
    rule: rule ? ruleOf(rule) : undefined,
    softSignatures: fields.truth("trigger-signature-soft-failures"),
    position: node.position,
  };
}

function headerOf(node: HooksFileNode, what: string): FileHook["headers"][number] {
  const fields = new Fields(node, what);
  return { name: fields.text("name"), value: fields.text("value") };
}

function referenceOf(node: HooksFileNode, what: string): ParameterReference {
  const fields = new Fields(node, what);
  return {
    source: fields.text("source"),
    name: fields.text("name"),
    variable: fields.text("envname"),
    base64: fields.truth("base64decode"),
    position: node.position,
  };
}

/** The first of `and`, `or`, `not` and `match` counts. */
function ruleOf(node: HooksFileNode): MatchRule {
  const fields = new Fields(node, "a rule");
  const { position } = node;
  for (const kind of ["and", "or"] as const) {
    if (fields.node(kind)) return { kind, rules: fields.list(kind, ruleOf), position };
  }
  const not = fields.node("not");
  if (not) return { kind: "not", rule: ruleOf(not), position };
  const match = fields.node("match");
  return match ? { kind: "match", match: matchOf(match), position } : { kind: "empty", position };
}

function matchOf(node: HooksFileNode): RuleMatch {
  const fields = new Fields(node, "`match`");
  const parameter = fields.node("parameter");
  return {
    type: fields.text("type"),
    value: fields.text("value"),
    regex: fields.text("regex"),
    secret: fields.text("secret"),
    range: fields.text("ip-range"),
    parameter: parameter
      ? referenceOf(parameter, "`parameter`")
      : { source: "", name: "", variable: "", base64: false, position: node.position },
  };
}
