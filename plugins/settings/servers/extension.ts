/**
 * The settings of a VS Code extension as a schema: `contributes.configuration` of its `package.json`. Its keys begin with
 * their sections: `python.analysis.typeCheckingMode`.
 */
import { isRecord } from "../effective/layer.js";
import {
  type JsonSchema,
  type PropertySchema,
  type Server,
  schemaProperties,
  serverFrom,
} from "./server.js";

/** As a block names them. One name: its keys are written without it. Several: keys begin with their sections. */
export type Sections = string | readonly string[] | undefined;

/** A server by a file: a JSON Schema, or the `package.json` of an extension. */
export function serverOf(name: string, file: JsonSchema, sections?: Sections): Server {
  const settings = extensionSettings(file);
  if (!settings) return withSections(serverFrom(name, file), sections);
  const title = [file.displayName, file.name, name].find((each) => typeof each === "string");
  const properties = Object.fromEntries(settings);
  const schema: JsonSchema = { title: String(title), type: "object", properties };
  return withSections({ ...serverFrom(name, schema), section: "", prefixes: [] }, sections);
}

/** The server with the settings of these sections only. A schema whose keys have no section gets a name for them. */
export function withSections(server: Server, sections: Sections): Server {
  if (sections === undefined) return server;
  const isOne = typeof sections === "string";
  if (isOne && server.section !== "") return { ...server, section: sections };
  const names = [sections].flat();
  const all = [...schemaProperties(server)].filter(([key]) =>
    names.some((name) => isIn(name, key)),
  );
  const properties = isOne
    ? all.flatMap(([key, each]) =>
        key === sections ? [] : [[key.slice(sections.length + 1), each] as const],
      )
    : all;
  return {
    ...server,
    section: isOne ? sections : "",
    schema: { ...server.schema, properties: Object.fromEntries(properties) },
  };
}

/** Those of the sections in which the server has no setting. */
export const unknownSections = (server: Server, sections: Sections): readonly string[] => {
  const keys = [...schemaProperties(server).keys()];
  const isNamed = typeof sections === "string" && server.section !== "";
  if (sections === undefined || keys.length === 0 || isNamed) return [];
  return [sections].flat().filter((name) => !keys.some((key) => isIn(name, key)));
};

/** The first parts of the keys. */
export const sectionsOf = (server: Server): readonly string[] =>
  [...new Set([...schemaProperties(server).keys()].map((key) => key.split(".")[0] ?? key))].sort();

const isIn = (section: string, key: string): boolean =>
  key === section || key.startsWith(`${section}.`);

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
