/** A plugin's own checks and functions, run on the plugin's side of the isolation boundary. */

import { toPlainValue } from "../config/expression/plain.js";
import type { PluginFindings, PluginReport, ValidationOptions } from "../config/program.js";
import type { Value } from "../config/values/value.js";
import { ReeveError } from "../errors.js";
import { configurationOf, Reports } from "../host/instance/configuration.js";
import type { Attribute } from "../plugin-api/attribute.js";
import type { BlockSchema } from "../plugin-api/block.js";
import type { PluginDefinition } from "../plugin-api/plugin.js";
import { isTurnOver, nextTurn } from "../plugin-api/turns.js";
import type { Block } from "../plugin-api/values.js";

/** What the plugin's checks say about its top-level blocks. Rejects when a check itself fails. */
export async function checkBlocks(
  { blocks: schemas }: PluginDefinition,
  blocks: readonly Block[],
): Promise<readonly PluginReport[]> {
  const reports: PluginReport[] = [];
  for (const block of blocks) {
    if (isTurnOver()) await nextTurn();
    const schema = Object.hasOwn(schemas, block.kind) ? schemas[block.kind] : undefined;
    if (schema) await checkBlock(schema, block, reports);
  }
  return reports;
}

async function checkBlock(
  { options }: BlockSchema,
  block: Block,
  reports: PluginReport[],
): Promise<void> {
  const report = (path: ReadonlyArray<string | number>, message: string, help?: string) => {
    const range = block.rangeOf(...path);
    reports.push({ range, message, severity: "error", code: "invalid", help });
  };
  const before = reports.length;
  const refuse = async (
    attribute: Attribute<unknown> | undefined,
    value: unknown,
    path: readonly string[],
  ) => {
    if (value === undefined || value === null) return;
    const fault = await attribute?.fault(value);
    if (fault !== undefined) report([...path, ...fault.path], fault.message);
  };
  await refuse(options.label as Attribute<unknown> | undefined, block.labels[0], []);
  await refuse(options.secondLabel as Attribute<unknown> | undefined, block.labels[1], []);
  for (const [name, attribute] of Object.entries(options.attrs ?? {})) {
    await refuse(attribute, block.values[name], [name]);
  }
  for (const [kind, schema] of Object.entries(options.blocks ?? {})) {
    for (const nested of [block.values[kind] ?? []].flat() as Block[]) {
      await checkBlock(schema, nested, reports);
    }
  }
  if (reports.length === before) await options.check?.(block, report);
}

/** What the plugin's `validate` finds. Rejects when it fails. */
export async function inspectBlocks(
  { blocks: schemas, validate }: PluginDefinition,
  blocks: readonly Block[],
  { directory, host }: ValidationOptions,
): Promise<PluginFindings> {
  const reports = new Reports();
  const addresses: Array<PluginFindings["addresses"][number]> = [];
  await validate?.(configurationOf(Object.keys(schemas), 0, blocks), {
    directory,
    host,
    report: reports.report,
    listens: (range, address) => addresses.push({ range, address }),
  });
  return { reports: reports.list, addresses };
}

/** Calls one of the plugin's functions with values of the language. */
export async function callFunction(
  { id, functions }: PluginDefinition,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  const called = functions && Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!called) throw new ReeveError("no_function", `The plugin "${id}" has no function "${name}".`);
  const run = called.run as (...args: unknown[]) => unknown;
  return run(...args.map((value) => toPlainValue(value as Value)));
}
