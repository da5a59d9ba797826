/** One server's settings, checked: what it would refuse, what it would ignore, and what was probably meant. */

import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft04 from "ajv-draft-04";
import { type SettingsFinding, type TextSpan } from "../read/finding.js";
import { type JsonMember, type JsonNode, nodeAt, plainJsonValue } from "../read/tree.js";
import { type JsonSchema, type Server, schemaProperties } from "../servers/server.js";
import { complaints, type SchemaIssue } from "./complaint.js";
import { DottedKeys } from "./dotted-keys.js";
import { suggestKey } from "./suggest.js";

/** Checks any number of files and values against one schema, which is compiled once. */
export class Checker {
  readonly server: Server;
  readonly keys: DottedKeys;
  readonly #validate: Validate;
  readonly #known: ReadonlySet<string>;
  readonly #open: boolean;

  /** @throws Error when the schema is wrong. */
  constructor(server: Server) {
    this.server = server;
    this.#validate = compileSchema(server.schema, server.isValid);
    this.#known = new Set(schemaProperties(server).keys());
    this.keys = new DottedKeys(this.#known);
    const { additionalProperties, patternProperties } = server.schema;
    this.#open =
      this.#known.size === 0 ||
      patternProperties !== undefined ||
      (additionalProperties !== undefined && additionalProperties !== false);
  }

  /** Everything about a file that could be read. */
  file(root: JsonNode): readonly SettingsFinding[] {
    const found = complaints(this.#validate(plainJsonValue(root)))
      .filter(({ code, path }) => code !== "unknown_key" || path.length > 0)
      .map((each) => this.#located(each, root));
    const unknown =
      root.kind === "object" ? root.members.flatMap((each) => this.#unknownKeyFinding(each)) : [];
    return [...found, ...unknown].sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
  }

  /** Whether there is nothing to say about what a file sets. */
  accepts(value: unknown): value is Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return (
      this.#validate(value).length === 0 &&
      Object.keys(value).every((key) => key === "$schema" || this.knows(key))
    );
  }

  /** Whether one key may have the value, and if not, why. */
  refusal(key: string, value: unknown): string | undefined {
    const [complaint] = complaints(this.#validate({ [key]: value })).filter(
      (each) => this.#severity(each) === "error",
    );
    if (complaint) return complaint.message;
    return this.knows(key) ? undefined : this.unknownKey(key).message;
  }

  /** Whether what a file says of the key reaches the server. */
  delivers(key: string): boolean {
    return this.knows(key) || this.server.isPartial === true;
  }

  knows(key: string): boolean {
    return this.#open || this.#known.has(key);
  }

  /** What is to be said of a key that the server does not know. */
  unknownKey(written: string): { readonly message: string; readonly meant?: string } {
    const prefix = this.server.prefixes.find((each) => written.startsWith(each)) ?? "";
    const bare = written.slice(prefix.length);
    const retired = Object.hasOwn(this.server.retired, bare)
      ? this.server.retired[bare]
      : undefined;
    const { title } = this.server;
    if (retired) {
      return {
        message: `\`${bare}\` ${retired.note}; ${title} ignores it`,
        ...(retired.use === undefined ? {} : { meant: retired.use }),
      };
    }
    const { guesses } = this.server;
    const meant = Object.hasOwn(guesses, bare) ? guesses[bare] : suggestKey(bare, this.#known);
    return {
      message: this.server.isPartial
        ? `Reeve knows no setting \`${written}\` of ${title}`
        : `${title} has no setting \`${written}\` and ignores it`,
      ...(meant === undefined ? {} : { meant }),
    };
  }

  #unknownKeyFinding({ key, keySpan }: JsonMember): readonly SettingsFinding[] {
    if (key === "$schema" || this.knows(key)) return [];
    const { message, meant } = this.unknownKey(key);
    const refused = this.server.schema.additionalProperties === false;
    return [
      {
        severity: refused ? "error" : "warning",
        code: "unknown_key",
        message,
        span: keySpan,
        ...(meant === undefined
          ? {}
          : { label: `did you mean \`${meant}\`?`, replacement: JSON.stringify(meant) }),
      },
    ];
  }

  #severity({ code, path }: SchemaIssue): "error" | "warning" {
    const isIgnored = code === "unknown_key" && path.length > 0 && this.server.isPartial;
    return isIgnored ? "warning" : "error";
  }

  #located(issue: SchemaIssue, root: JsonNode): SettingsFinding {
    const { code, path, key, message, instead } = issue;
    const span = spanAt(root, path, key);
    const replacement = instead === undefined ? undefined : JSON.stringify(instead);
    return {
      severity: this.#severity(issue),
      code,
      message,
      span,
      ...(replacement === undefined
        ? {}
        : { label: `did you mean \`${replacement}\`?`, replacement }),
    };
  }
}

function spanAt(root: JsonNode, path: readonly string[], key: string | undefined): TextSpan {
  const node = nodeAt(root, path) ?? root;
  const member =
    key !== undefined && node.kind === "object"
      ? node.members.findLast((each) => each.key === key)
      : undefined;
  const { start, end } = member?.keySpan ?? node;
  // Of a long value only its beginning is worth carets.
  return node === root && !member ? { start, end: Math.min(end, start + 1) } : { start, end };
}

export type Validate = (value: unknown) => readonly ErrorObject[];

const options: Options = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  logger: false,
  verbose: true,
};

/**
 * `isValid`: it is known to be right, and most of the time that this takes goes into finding that out.
 * @throws Error, in ajv's words, when the schema itself is wrong.
 */
export function compileSchema(schema: JsonSchema, isValid = false): Validate {
  const { $schema = "", ...rest } = schema;
  const validate = ajvFor($schema, { ...options, validateSchema: !isValid }).compile(
    nullable(rest),
  );
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

function ajvFor(draft: string, how: Options): Ajv {
  if (/draft-04/.test(draft)) return new draft04.default(how) as unknown as Ajv;
  if (/2020-12|2019-09/.test(draft)) return new Ajv2020(how) as unknown as Ajv;
  return new Ajv(how);
}

/** A property whose default is null may be null, whatever its type says: many schemas say it in no other way. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!properties) return schema;
  const widened = Object.entries(properties).map(([key, property]) => {
    const { type, default: byDefault, enum: choices, properties: inner } = property;
    const deeper = inner ? nullable(property as JsonSchema) : property;
    if (byDefault !== null || type === undefined) return [key, deeper] as const;
    const types = [type].flat();
    const wider = types.includes("null") ? types : [...types, "null"];
    const withNull = choices && !choices.includes(null) ? { enum: [...choices, null] } : {};
    return [key, { ...deeper, type: wider, ...withNull }] as const;
  });
  return { ...schema, properties: Object.fromEntries(widened) };
}
