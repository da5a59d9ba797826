/** One parsed `settings` block: its server, its schema, its files as absolute paths. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import json5 from "json5";
import type { SettingsBlock } from "./blocks.js";
import { Checker } from "./schema/checker.js";
import type { KeyedValue } from "./schema/dotted-keys.js";
import { suggestKey } from "./schema/suggest.js";
import { sectionsOf, serverOf, unknownSections, withSections } from "./servers/extension.js";
import { knownServers, loadServer } from "./servers/known.js";
import { type JsonSchema, type Server } from "./servers/server.js";

export interface SettingsSource {
  readonly block: SettingsBlock;
  /** The block's label. */
  readonly name: string;
  readonly checker: Checker;
  /** The block's `override`, by key. */
  readonly override: readonly KeyedValue[];
  /** Absolute; patterns among them. */
  readonly files: readonly string[];
  readonly workspace: readonly string[];
  readonly write: string | undefined;
  /** The file of the schema, as it was read. */
  readonly schema: SchemaFile | undefined;
}

export interface SchemaFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** An invalid block: the reason and the attribute. */
export class InvalidServer extends Error {
  readonly attribute: string;
  readonly help: string | undefined;
  /** It is about this machine. */
  readonly host: boolean;

  constructor(attribute: string, message: string, help?: string, host = false) {
    super(message);
    this.attribute = attribute;
    this.help = help;
    this.host = host;
  }
}

/**
 * @param known the file of the schema, where it has been read already
 * @throws InvalidServer
 */
export async function sourceOf(
  block: SettingsBlock,
  directory: string,
  known?: SchemaFile,
): Promise<SettingsSource> {
  const { watch, workspace, write, section } = block.values;
  const name = block.label ?? "";
  const path = schemaPath(block, directory);
  const isKnown = known !== undefined && known.path === path;
  const schema = path === undefined || isKnown ? known : await readSchemaFile(path, shownOf(block));
  const whole = schema
    ? serverOf(name, parseSchema(schema.text, shownOf(block)))
    : await knownServer(block.values.schema ?? name);
  const [unknown] = unknownSections(whole, section);
  if (unknown !== undefined) throw unknownSection(whole, unknown);
  const checker = checkerOf({ ...withSections(whole, section), name });
  return {
    block,
    name,
    checker,
    override: checker.keys.entries(block.values.override),
    files: watch.map((each) => absolute(each, directory)),
    workspace: workspace.map((each) => absolute(each, directory)),
    write: write === undefined ? undefined : absolute(write, directory),
    schema,
  };
}

/** Why the schema refuses values of the block's `override`. An unknown key is no reason. */
export const refusedOverrides = ({ checker, override }: SettingsSource): readonly string[] =>
  override.flatMap(({ key, value }) =>
    checker.knows(key) ? (checker.refusal(key, value) ?? []) : [],
  );

const shownOf = ({ label, values }: SettingsBlock): string => values.schema ?? label ?? "";

/** The absolute path of the block's schema; `undefined` where Reeve has it. */
function schemaPath(block: SettingsBlock, directory: string): string | undefined {
  const { schema } = block.values;
  return schema !== undefined && isSchemaFile(block) ? absolute(schema, directory) : undefined;
}

function absolute(path: string, directory: string): string {
  return path === "~" || path.startsWith("~/")
    ? join(homedir(), path.slice(1))
    : resolve(directory, path);
}

const isPath = (schema: string): boolean => /[./]/.test(schema);

/** Whether the block's schema is read from a file. */
export const isSchemaFile = ({ values: { schema } }: SettingsBlock): boolean =>
  schema !== undefined && !knownServers.includes(schema) && isPath(schema);

/**
 * By name, or by the path of a schema.
 * @throws InvalidServer
 */
export async function findServer(schema: string, directory: string): Promise<Server> {
  if (knownServers.includes(schema) || !isPath(schema)) return knownServer(schema);
  const { text } = await readSchemaFile(absolute(schema, directory), schema);
  return serverOf(schema, parseSchema(text, schema));
}

async function knownServer(name: string): Promise<Server> {
  const own = await loadServer(name);
  if (own) return own;
  const meant = suggestKey(name, knownServers);
  throw new InvalidServer(
    "schema",
    `Reeve has no schema for "${name}".`,
    meant === undefined
      ? `Give the path of one: \`schema = "./${name}.schema.json"\`. Known by name: ${knownServers.join(", ")}.`
      : `Did you mean "${meant}"?`,
  );
}

function unknownSection(server: Server, section: string): InvalidServer {
  const all = sectionsOf(server);
  const meant = suggestKey(section, all);
  return new InvalidServer(
    "section",
    `${server.title} has no setting in the section "${section}".`,
    meant === undefined
      ? `Its sections: ${all.slice(0, 10).join(", ")}.`
      : `Did you mean "${meant}"?`,
  );
}

async function readSchemaFile(path: string, shown: string): Promise<SchemaFile> {
  const text = await readFile(path, "utf8").catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === "ENOENT" ? "is not there" : `cannot be read (${thrown.code})`;
    const isThere = thrown.code !== "ENOENT";
    throw new InvalidServer("schema", `The schema "${shown}" ${why}.`, undefined, isThere);
  });
  return { path, text };
}

function parseSchema(text: string, shown: string): JsonSchema {
  let schema: unknown;
  try {
    schema = json5.parse(text);
  } catch (thrown) {
    throw new InvalidServer(
      "schema",
      `The schema "${shown}" is not JSON: ${(thrown as Error).message}.`,
    );
  }
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema))
    return schema as JsonSchema;
  throw new InvalidServer("schema", `The schema "${shown}" is not an object.`);
}

function checkerOf(server: Server): Checker {
  try {
    return new Checker(server);
  } catch (thrown) {
    throw new InvalidServer(
      "schema",
      `The schema is not a valid JSON Schema: ${(thrown as Error).message}.`,
    );
  }
}
