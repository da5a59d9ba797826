/** One parsed `settings` block: its server, its schema, its files as absolute paths. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import json5 from "json5";
import type { SettingsBlock } from "./blocks.js";
import { Checker } from "./schema/checker.js";
import { suggestKey } from "./schema/suggest.js";
import { knownServers } from "./servers/known.js";
import { type JsonSchema, type Server, serverFrom } from "./servers/server.js";

export interface SettingsSource {
  readonly block: SettingsBlock;
  /** The block's label. */
  readonly name: string;
  readonly checker: Checker;
  /** Absolute; patterns among them. */
  readonly files: readonly string[];
  readonly workspace: readonly string[];
  readonly write: string | undefined;
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

/** @throws InvalidServer */
export async function sourceOf(block: SettingsBlock, directory: string): Promise<SettingsSource> {
  const { watch, workspace, write, section } = block.values;
  const name = block.label ?? "";
  const server = await findServer(name, block.values.schema, directory);
  const checker = checkerOf({ ...server, name, ...(section === undefined ? {} : { section }) });
  return {
    block,
    name,
    checker,
    files: watch.map((each) => absolute(each, directory)),
    workspace: workspace.map((each) => absolute(each, directory)),
    write: write === undefined ? undefined : absolute(write, directory),
  };
}

function absolute(path: string, directory: string): string {
  return path === "~" || path.startsWith("~/")
    ? join(homedir(), path.slice(1))
    : resolve(directory, path);
}

const isPath = (schema: string): boolean => /[./]/.test(schema);

/** Whether the block's schema is read from a file. */
export const isSchemaFile = ({ values: { schema } }: SettingsBlock): boolean =>
  schema !== undefined && !knownServers.has(schema) && isPath(schema);

/**
 * By name, or by the path of a schema.
 * @throws InvalidServer
 */
export async function findServer(
  name: string,
  schema: string | undefined,
  directory: string,
): Promise<Server> {
  const wanted = schema ?? name;
  const own = knownServers.get(wanted);
  if (own) return own;
  if (schema === undefined || !isPath(schema)) {
    const meant = suggestKey(wanted, knownServers.keys());
    throw new InvalidServer(
      "schema",
      `Reeve has no schema for "${wanted}".`,
      meant === undefined
        ? `Give the path of one: \`schema = "./${wanted}.schema.json"\`. Known by name: ${[...knownServers.keys()].join(", ")}.`
        : `Did you mean "${meant}"?`,
    );
  }
  return serverFrom(name, await readSchema(absolute(schema, directory), schema));
}

async function readSchema(path: string, shown: string): Promise<JsonSchema> {
  const text = await readFile(path, "utf8").catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === "ENOENT" ? "is not there" : `cannot be read (${thrown.code})`;
    const isThere = thrown.code !== "ENOENT";
    throw new InvalidServer("schema", `The schema "${shown}" ${why}.`, undefined, isThere);
  });
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
