/**
 * The settings of a VS Code extension as a schema: `contributes.configuration` of its `package.json`. Its keys begin with
 * their sections: `python.analysis.typeCheckingMode`.
 */
import { isRecord } from "../effective/layer.js";
import { type JsonSchema, type PropertySchema, type Server, serverFrom } from "./server.js";

/** A server by a file: a JSON Schema, or the `package.json` of an extension. `section`: as the block names it. */
export function serverOf(name: string, file: JsonSchema, section?: string): Server {
  const settings = extensionSettings(file);
  if (!settings) return { ...serverFrom(name, file), section: section ?? name };
  const prefix = section === undefined ? "" : `${section}.`;
  const properties = Object.fromEntries(
    [...settings]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, property]) => [key.slice(prefix.length), property]),
  );
  const title = [file.displayName, file.name, name].find((each) => typeof each === "string");
  const schema: JsonSchema = { title: String(title), type: "object", properties };
  return { ...serverFrom(name, schema), section: section ?? "", prefixes: [] };
}

/** By key; `undefined` where the file does not describe an extension. */
function extensionSettings(file: JsonSchema): ReadonlyMap<string, PropertySchema> | undefined {
  const { contributes } = file;
  const configuration = isRecord(contributes) ? contributes.configuration : undefined;
  if (configuration === undefined) return undefined;
  const groups = [configuration].flat().filter(isRecord);
  return new Map(
    groups.flatMap(({ properties }) =>
      Object.entries(isRecord(properties) ? properties : {}).flatMap(([key, property]) =>
        isRecord(property) ? [[key, plainProperty(property)] as const] : [],
      ),
    ),
  );
}

/** Without what only the editor can resolve: references to its own schemas. */
function plainProperty(property: Readonly<Record<string, unknown>>): PropertySchema {
  const { markdownDescription, description } = property;
  const text = [description, markdownDescription].find((each) => typeof each === "string");
  const own = withoutReferences(property) as PropertySchema;
  return typeof text === "string" ? { ...own, description: text } : own;
}

function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => key !== "$ref" || typeof each !== "string")
      .map(([key, each]) => [key, key === "default" ? each : withoutReferences(each)]),
  );
}
