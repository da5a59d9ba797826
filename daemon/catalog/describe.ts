/** A plugin's definition, as its module exports it, and its description: plain data that crosses any border. */
import { describeBlock, describeFunction } from "../plugin-api/block.js";
import type { Isolation, PluginDescription } from "../plugin-api/descriptor.js";
import type { PluginDefinition } from "../plugin-api/plugin.js";

const ISOLATIONS: readonly Isolation[] = ["inline", "worker", "process"];

/** @throws TypeError saying, in one sentence, why `exported` is not a plugin. */
export function asDefinition(exported: unknown): PluginDefinition {
  if (exported === undefined) throw new TypeError("its module has no default export");
  if (typeof exported !== "object" || exported === null) {
    throw new TypeError("its default export is not what `definePlugin` gives");
  }
  const { id, api, setup, blocks, title } = exported as Partial<PluginDefinition>;
  if (typeof id !== "string" || !/^[a-z][a-z0-9-]*$/.test(id)) {
    throw new TypeError("its default export has no `id` of lower-case letters, digits and `-`");
  }
  if (typeof api !== "number") throw new TypeError("its default export has no `api`");
  if (typeof title !== "string") throw new TypeError("its default export has no `title`");
  if (typeof setup !== "function") throw new TypeError("its default export has no `setup`");
  if (typeof blocks !== "object" || blocks === null) {
    throw new TypeError("its default export has no `blocks`");
  }
  return exported as PluginDefinition;
}

/** JSON data. @throws when a schema in it was not made with `c`. */
export function describe(definition: PluginDefinition): PluginDescription {
  const { id, title, api, version, doc, blocks, functions, permissions } = definition;
  const isolation = definition.isolation ?? { default: "worker", supports: ISOLATIONS };
  const described: PluginDescription = {
    id,
    title,
    api,
    ...(version === undefined ? {} : { version }),
    ...(doc === undefined ? {} : { doc }),
    blocks: mapValues(blocks, describeBlock),
    functions: mapValues(functions ?? {}, describeFunction),
    permissions: permissions ?? {},
    isolation,
    ...(definition.validate === undefined ? {} : { validates: true }),
    ...(definition.migrations && { migrations: Object.keys(definition.migrations).sort() }),
  };
  return JSON.parse(JSON.stringify(described)) as PluginDescription;
}

const mapValues = <In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
