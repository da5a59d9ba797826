/** A tree becomes hooks. Keys are matched whatever their case; what is of a wrong kind fails the file. */
import type { FileHook, FilePosition, Match, Reference, Rule } from "../hook.js";
import { scalarOf } from "./scalars.js";
import type { Complaint, Member, Node } from "./tree.js";

/** @throws Wrong at the first thing of a wrong kind. */
export function decodeHooks(tree: Node | undefined): readonly FileHook[] {
  if (tree === undefined || isNull(tree)) return [];
  return listOf(tree, "the file", hookOf);
}

export class Wrong extends Error {
  readonly complaint: Complaint;
  constructor(place: FilePosition, message: string) {
    super(message);
    this.complaint = { place, message };
  }
}

const isNull = (node: Node): boolean =>
  node.kind === "scalar" && scalarOf(node.text, node.plain).is === "null";

/** The members of a map, by what they are called. */
class Fields {
  readonly place: FilePosition;
  readonly #members: ReadonlyMap<string, Member>;

  constructor(node: Node, what: string) {
    if (node.kind !== "map") throw new Wrong(node.place, `${what} is an object`);
    this.place = node.place;
    this.#members = new Map(node.members.map((member) => [member.name.toLowerCase(), member]));
  }

  /** Of several with the same name the last counts; null is the same as nothing. */
  node(name: string): Node | undefined {
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
    if (scalar?.is !== "integer") throw new Wrong(node.place, `\`${name}\` is a whole number`);
    return Number(scalar.integer);
  }

  truth(name: string): boolean {
    const node = this.node(name);
    if (!node) return false;
    const scalar = node.kind === "scalar" ? scalarOf(node.text, node.plain) : undefined;
    if (scalar?.is !== "truth") throw new Wrong(node.place, `\`${name}\` is true or false`);
    return scalar.truth;
  }

  list<T>(name: string, each: (node: Node, what: string) => T): readonly T[] {
    const node = this.node(name);
    return node ? listOf(node, `\`${name}\``, each) : [];
  }
}

function plainText(node: Node, name: string): string {
  if (node.kind !== "scalar") throw new Wrong(node.place, `\`${name}\` is a text`);
  return scalarOf(node.text, node.plain).text;
}

function listOf<T>(node: Node, what: string, each: (node: Node, what: string) => T): readonly T[] {
  if (node.kind !== "list") throw new Wrong(node.place, `${what} is a list`);
  return node.items.map((item) => each(item, `an entry of ${what}`));
}

function hookOf(node: Node): FileHook {
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
    place: node.place,
  };
}

function headerOf(node: Node, what: string): FileHook["headers"][number] {
  const fields = new Fields(node, what);
  return { name: fields.text("name"), value: fields.text("value") };
}

function referenceOf(node: Node, what: string): Reference {
  const fields = new Fields(node, what);
  return {
    source: fields.text("source"),
    name: fields.text("name"),
    variable: fields.text("envname"),
    base64: fields.truth("base64decode"),
    place: node.place,
  };
}

/** The first that is there of `and`, `or`, `not` and `match` counts. */
function ruleOf(node: Node): Rule {
  const fields = new Fields(node, "a rule");
  const { place } = node;
  for (const kind of ["and", "or"] as const) {
    if (fields.node(kind)) return { kind, rules: fields.list(kind, ruleOf), place };
  }
  const not = fields.node("not");
  if (not) return { kind: "not", rule: ruleOf(not), place };
  const match = fields.node("match");
  return match ? { kind: "match", match: matchOf(match), place } : { kind: "empty", place };
}

function matchOf(node: Node): Match {
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
      : { source: "", name: "", variable: "", base64: false, place: node.place },
  };
}
