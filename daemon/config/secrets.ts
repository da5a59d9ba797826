/** Secrets get their content: the step between checking a configuration and preparing it. */

import { type Diagnostic } from "../../grammar/diagnostic.js";
import { errorMessage } from "../errors.js";
import { isTurnOver, nextTurn } from "../plugin-api/turns.js";
import { type Range } from "../plugin-api/values.js";
import { createDiagnostic } from "./diagnose.js";
import { detailsOf, remember } from "./explain/details.js";
import { compileExpression } from "./expression/compile.js";
import { expressionContent, RunTimeExpression } from "./expression/expression.js";
import { secretReferences } from "./expression/nodes.js";
import { toPlainValue } from "./expression/plain.js";
import { Absent } from "./expression/step.js";
import { blockHeader } from "./keys.js";
import { limits } from "./limits.js";
import { type Program, type ProgramBlock } from "./program.js";
import { ConfiguredBlock } from "./values/block.js";
import { quoteString } from "./values/render.js";
import { SecretValue } from "./values/secret.js";
import { isObject } from "./values/value.js";

/** Reads one secret: `env:TOKEN`, `file:/run/secrets/token`, `vault:…`. Rejects with a sentence that says why it cannot. */
export type SecretResolver = (reference: string) => Promise<string>;

/** A resolver that does not have every secret: those stay unresolved. */
export type PartialSecretResolver = (reference: string) => Promise<string | undefined>;

export type ResolvedSecrets =
  | { readonly program: Program; readonly diagnostics: readonly Diagnostic[] }
  | { readonly program: undefined; readonly diagnostics: readonly Diagnostic[] };

/** The same program with every secret resolved, each read once; or what is in the way, on the value that needs it. */
export async function resolveSecrets(
  program: Program,
  resolver: SecretResolver,
): Promise<ResolvedSecrets> {
  const { blocks, diagnostics } = await readSecrets(program.blocks, resolver);
  if (diagnostics.length > 0) return { program: undefined, diagnostics };
  const resolved: Program = { ...program, blocks };
  const details = detailsOf(program);
  if (details) remember(resolved, details);
  return { program: resolved, diagnostics };
}

/** The blocks with every secret resolved that can be, and diagnostics about the others. */
export async function readSecrets(
  blocks: Program["blocks"],
  resolver: PartialSecretResolver,
): Promise<Pick<Program, "blocks"> & { readonly diagnostics: readonly Diagnostic[] }> {
  const reading = new Reading();
  const references = new Set<string>();
  for (const block of blocks.values()) {
    if (isTurnOver()) await nextTurn();
    for (const each of block.secrets) references.add(each);
  }
  if (references.size === 0) return { blocks, diagnostics: [] };
  await reading.readAll(references, resolver);
  const resolved = new Map<string, ProgramBlock>();
  for (const [key, block] of blocks) {
    if (isTurnOver()) await nextTurn();
    resolved.set(key, reading.block(block));
  }
  return { blocks: resolved, diagnostics: reading.diagnostics };
}

/** The content of one secret outside of blocks. Rejects with a sentence that says why it cannot be had. */
export async function readSecret(secret: SecretValue, resolver: SecretResolver): Promise<string> {
  const contents = new Map<string, string>();
  for (const reference of secret.references) {
    const content = await resolver(reference).catch((thrown: unknown) => {
      throw new Error(
        `the secret ${quoteString(reference)} cannot be read: ${errorMessage(thrown)}`,
      );
    });
    contents.set(reference, content);
  }
  const outcome = compileExpression(secret.node)(
    {},
    { slots: [], secrets: contents, looks: limits.looks },
  );
  if (!(outcome instanceof Absent)) return expressionContent(toPlainValue(outcome));
  throw new Error("this cannot be computed from what the secret contains");
}

class Reading {
  readonly diagnostics: Diagnostic[] = [];
  readonly #contents = new Map<string, string>();
  readonly #refusals = new Map<string, string>();

  async readAll(references: Iterable<string>, resolver: PartialSecretResolver): Promise<void> {
    const read = async (reference: string): Promise<void> => {
      try {
        const content = await resolver(reference);
        if (content !== undefined) this.#contents.set(reference, content);
      } catch (thrown) {
        this.#refusals.set(reference, errorMessage(thrown));
      }
    };
    await Promise.all([...references].map(read));
  }

  /** A block without secrets stays the block it is. */
  block(block: ProgramBlock): ProgramBlock {
    if (block.secrets.length === 0) return block;
    const whole = new ConfiguredBlock(block);
    const values = this.#values(block.values, (path) => whole.rangeOf(...path), block, []);
    return { ...block, values, unresolved: block };
  }

  #values(
    values: Readonly<Record<string, unknown>>,
    rangeOf: (path: Path) => Range,
    block: ProgramBlock,
    path: Path,
  ): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        this.#resolved(value, rangeOf, block, [...path, name]),
      ]),
    );
  }

  #resolved(
    value: unknown,
    rangeOf: (path: Path) => Range,
    block: ProgramBlock,
    path: Path,
  ): unknown {
    if (value instanceof SecretValue) return this.#content(value, rangeOf(path), block);
    if (value instanceof RunTimeExpression) {
      if (!value.parts.secret) return value;
      const references = secretReferences(value.parts.node);
      if (!this.#areRead(references, value.range, block)) return value;
      return value.withSecrets(this.#only(references));
    }
    if (value instanceof ConfiguredBlock) {
      const { kind, labels, key, doc, ranges } = value;
      const values = this.#values(value.values, rangeOf, block, path);
      return new ConfiguredBlock({ kind, labels, key, doc, ranges, values });
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#resolved(item, rangeOf, block, [...path, index]));
    }
    return isObject(value) ? this.#values(value, rangeOf, block, path) : value;
  }

  #content(secret: SecretValue, location: Range, block: ProgramBlock): SecretValue {
    if (!this.#areRead(secret.references, location, block)) return secret;
    const frame = { slots: [], secrets: this.#contents, looks: limits.looks };
    const outcome = compileExpression(secret.node)({}, frame);
    if (!(outcome instanceof Absent))
      return secret.withContent(expressionContent(toPlainValue(outcome)));
    this.#report("E509", location, block, "this cannot be computed from what the secret contains");
    return secret;
  }

  /** An expression is sent to its plugin with its own secrets only. */
  #only(references: readonly string[]): ReadonlyMap<string, string> {
    return new Map(
      references.map((reference) => [reference, this.#contents.get(reference) ?? ""] as const),
    );
  }

  /** Reports each reference that could not be read. */
  #areRead(references: readonly string[], location: Range, block: ProgramBlock): boolean {
    const refused = references.filter((reference) => this.#refusals.has(reference));
    for (const reference of refused) {
      const why = this.#refusals.get(reference) ?? "";
      this.#report(
        "E509",
        location,
        block,
        `the secret ${quoteString(reference)} cannot be read: ${why}`,
      );
    }
    return references.every((reference) => this.#contents.has(reference));
  }

  #report(code: string, location: Range, block: ProgramBlock, message: string): void {
    this.diagnostics.push({
      ...createDiagnostic(code, location, message),
      host: true,
      subject: blockHeader(block.kind, block.labels),
      ...(block.trace.length === 0 ? {} : { trace: block.trace }),
    });
  }
}

type Path = ReadonlyArray<string | number>;
