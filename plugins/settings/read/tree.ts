/** Tokens become a tree with places. It goes on after every fault, so that one run shows them all. */
import type { JsonDialect } from "./dialect.js";
import type { TextSpan } from "./finding.js";
import { Scanner } from "./scan.js";
import { type JsonToken, type ReportFinding, SYNTAX } from "./token.js";

export type JsonNode = TextSpan &
  (
    | { readonly kind: "object"; readonly members: readonly JsonMember[] }
    | { readonly kind: "array"; readonly items: readonly JsonNode[] }
    | { readonly kind: "scalar"; readonly value: unknown }
  );

export interface JsonMember {
  readonly key: string;
  readonly keySpan: TextSpan;
  readonly value: JsonNode;
}

/** `undefined` where there is no value at all. The nesting must have been bounded before. */
export function parseJson(
  text: string,
  dialect: JsonDialect,
  note: ReportFinding,
): JsonNode | undefined {
  return new Parser(text, dialect, note).file();
}

const spanOf = ({ start, end }: TextSpan): TextSpan => ({ start, end });

class Parser {
  readonly #scanner: Scanner;
  readonly #dialect: JsonDialect;
  readonly #note: ReportFinding;
  /** Where the last token that was taken ends. */
  #end = 0;
  /** How many of each are open, to tell a bracket that closes something further out from one that closes nothing. */
  readonly #open = { "{": 0, "[": 0 };

  constructor(text: string, dialect: JsonDialect, note: ReportFinding) {
    this.#scanner = new Scanner(text, dialect, note);
    this.#dialect = dialect;
    this.#note = note;
  }

  file(): JsonNode | undefined {
    if (this.#ahead.kind === "end") {
      this.#note({
        code: "empty",
        message: "the file is empty",
        span: spanOf(this.#ahead),
        help: "Write `{}` for no settings.",
      });
      return undefined;
    }
    const value = this.#value();
    const rest = this.#ahead;
    if (rest.kind !== "end") this.#fault("there is more after the end of the value", rest);
    return value;
  }

  get #ahead(): JsonToken {
    return this.#scanner.peek;
  }

  #take(): JsonToken {
    const token = this.#scanner.take();
    this.#end = token.end;
    return token;
  }

  #fault(message: string, span: TextSpan, label?: string): void {
    this.#note({
      code: SYNTAX,
      message,
      span: spanOf(span),
      ...(label === undefined ? {} : { label }),
    });
  }

  /** `undefined` where a value is missing; that has been noted. */
  #value(): JsonNode | undefined {
    const token = this.#ahead;
    switch (token.kind) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case "string":
        this.#take();
        return { kind: "scalar", value: token.value, ...spanOf(token) };
      case "literal":
        this.#take();
        if (this.#dialect !== "json5" && /^(NaN|Infinity)$/.test(token.text)) {
          this.#fault(`JSON has no \`${token.text}\``, token);
        }
        return { kind: "scalar", value: token.value, ...spanOf(token) };
      case "name":
        this.#take();
        this.#fault(`\`${token.text}\` is not a value`, token, hint(token.text));
        return undefined;
      default:
        this.#fault("a value is missing", missingAt(token, this.#end));
        if (token.kind === ":") this.#take();
        return undefined;
    }
  }

  #object(): JsonNode {
    const open = this.#take();
    this.#open["{"] += 1;
    const members: JsonMember[] = [];
    for (;;) {
      const token = this.#ahead;
      if (token.kind === "}") {
        this.#open["{"] -= 1;
        return this.#closed({ kind: "object", members }, open);
      }
      if (token.kind === "]" && this.#open["["] === 0) {
        this.#fault("this bracket closes nothing", this.#take());
        continue;
      }
      if (token.kind === "end" || token.kind === "]") {
        this.#open["{"] -= 1;
        this.#unclosed("{", "}", open, token);
        return { kind: "object", members, start: open.start, end: this.#end };
      }
      if (token.kind === ",") {
        this.#fault("a comma without anything before it", this.#take());
        continue;
      }
      const member = this.#member();
      if (member) members.push(member);
      this.#separator("}");
    }
  }

  #member(): JsonMember | undefined {
    const key = this.#key();
    if (this.#ahead.kind === ":") this.#take();
    else if (key !== undefined) {
      this.#fault(`a colon is missing after \`${key.text}\``, missingAt(this.#ahead, this.#end));
      // A key alone: the next one follows on its own.
      if (/^[},\]]$|^end$/.test(this.#ahead.kind)) return undefined;
    }
    const value = this.#value();
    if (key === undefined || value === undefined) return undefined;
    return { key: key.text, keySpan: key.span, value };
  }

  #key(): { readonly text: string; readonly span: TextSpan } | undefined {
    const token = this.#ahead;
    if (token.kind === "string") {
      this.#take();
      return { text: token.value, span: spanOf(token) };
    }
    if (token.kind === "name" || token.kind === "literal") {
      this.#take();
      const isName = token.kind === "name" || !/^[-+.\d]/.test(token.text);
      if (!isName) this.#fault("a key must be a string", token);
      else if (this.#dialect !== "json5") {
        this.#fault("a key needs double quotes", token, `"${token.text}"`);
      }
      return { text: token.text, span: spanOf(token) };
    }
    this.#fault("a key is missing", missingAt(token, this.#end));
    return undefined;
  }

  #array(): JsonNode {
    const open = this.#take();
    this.#open["["] += 1;
    const items: JsonNode[] = [];
    for (;;) {
      const token = this.#ahead;
      if (token.kind === "]") {
        this.#open["["] -= 1;
        return this.#closed({ kind: "array", items }, open);
      }
      if (token.kind === "}" && this.#open["{"] === 0) {
        this.#fault("this bracket closes nothing", this.#take());
        continue;
      }
      if (token.kind === "end" || token.kind === "}") {
        this.#open["["] -= 1;
        this.#unclosed("[", "]", open, token);
        return { kind: "array", items, start: open.start, end: this.#end };
      }
      if (token.kind === ",") {
        this.#fault("a comma without anything before it", this.#take());
        continue;
      }
      const item = this.#value();
      if (item) items.push(item);
      this.#separator("]");
    }
  }

  #closed(
    content:
      | { readonly kind: "object"; readonly members: readonly JsonMember[] }
      | { readonly kind: "array"; readonly items: readonly JsonNode[] },
    open: JsonToken,
  ): JsonNode {
    const { end } = this.#take();
    return { ...content, start: open.start, end };
  }

  #unclosed(opening: string, closing: string, open: JsonToken, found: JsonToken): void {
    const instead = found.kind === "end" ? "" : `: there is \`${found.kind}\` instead`;
    this.#note({
      code: SYNTAX,
      message: `\`${closing}\` is missing${instead}`,
      span: missingAt(found, this.#end),
      related: { span: spanOf(open), message: `\`${opening}\` is here` },
    });
  }

  /** What stands between two members: a comma. Anything else is noted, and gone on after. */
  #separator(close: "}" | "]"): void {
    const token = this.#ahead;
    if (token.kind === close || token.kind === "end" || token.kind === "}" || token.kind === "]") {
      return;
    }
    if (token.kind === ",") {
      this.#take();
      if (this.#ahead.kind === close && this.#dialect === "json") {
        this.#note({
          code: "trailing_comma",
          message: "JSON has no comma after the last one",
          span: spanOf(token),
          replacement: "",
        });
      }
      return;
    }
    if (token.kind === ":") {
      this.#fault("a colon has no place here", this.#take());
      this.#value();
      this.#separator(close);
      return;
    }
    this.#fault("a comma is missing", { start: this.#end, end: this.#end });
  }
}

/** Where something should have stood: at what stands there instead, or behind the last token at the end of the file. */
function missingAt(found: JsonToken, end: number): TextSpan {
  return found.kind === "end" ? { start: end, end } : spanOf(found);
}

function hint(name: string): string {
  const meant = ["true", "false", "null"].find((word) => word === name.toLowerCase());
  return meant === undefined ? `text needs quotes: "${name}"` : `did you mean \`${meant}\`?`;
}

/** The plain value. Keys named `__proto__` are keys like any other. */
export function plainJsonValue(node: JsonNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.items.map(plainJsonValue);
  const value: Record<string, unknown> = {};
  for (const { key, value: each } of node.members) {
    Object.defineProperty(value, key, {
      value: plainJsonValue(each),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return value;
}

/** The node at a path of keys and indices; with several members of one name, the last. */
export function nodeAt(node: JsonNode, path: readonly string[]): JsonNode | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return node;
  const next =
    node.kind === "object"
      ? node.members.findLast(({ key }) => key === first)?.value
      : node.kind === "array"
        ? node.items[Number(first)]
        : undefined;
  return next && nodeAt(next, rest);
}
