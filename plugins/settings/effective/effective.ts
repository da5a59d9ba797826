/** Effective settings: layers merged key by key, with the origin of each value. */
import { isDeepStrictEqual } from "node:util";
import { type Live, type Server, schemaProperties } from "../servers/server.js";
import { isRecord, type Layer, type LayerOrigin, type LayerValue, saidBy } from "./layer.js";
import { LayerStack } from "./layer-stack.js";

/** The effective value of one key. */
export interface EffectiveSetting {
  readonly key: string;
  readonly value: unknown;
  readonly origin: LayerOrigin;
  /** The file that set it. */
  readonly path?: string;
  /** The default; absent if the schema has none. */
  readonly default?: unknown;
  readonly live: Live;
  /** Values of lower layers, nearest first. */
  readonly hidden: readonly LayerValue[];
}

/** The effective value without lower layers. */
export type InForce = Omit<EffectiveSetting, "hidden">;

/** In the order of the schema, then by name. `null` means "not set": the layer below shows through. */
export function effective(server: Server, layers: readonly Layer[]): readonly EffectiveSetting[] {
  const said = new Map<string, LayerValue[]>();
  // From the highest to the lowest, so that the nearest comes first.
  for (let index = layers.length - 1; index >= 0; index -= 1) {
    const layer = layers[index] as Layer;
    for (const [key, value] of Object.entries(layer.values)) {
      const list = said.get(key) ?? [];
      said.set(key, list);
      if (value !== null) list.push(saidBy(layer, value));
    }
  }
  return settingsFrom(server, said).map(({ setting, all: [, ...hidden] }) => ({
    ...setting,
    hidden,
  }));
}

/** The same without hidden values, which dominate with many layers. `layerStack` caches earlier layers. */
export const inForce = (
  server: Server,
  layers: readonly Layer[],
  layerStack = new LayerStack(),
): readonly InForce[] =>
  settingsFrom(server, layerStack.said(layers)).map(({ setting }) => setting);

function settingsFrom(
  server: Server,
  said: ReadonlyMap<string, readonly LayerValue[]>,
): readonly { readonly setting: InForce; readonly all: readonly LayerValue[] }[] {
  const properties = schemaProperties(server);
  const unknown = [...said.keys()].filter((key) => !properties.has(key)).sort();
  return [...properties.keys(), ...unknown].flatMap((key) => {
    const property = properties.get(key);
    const byDefault = property && "default" in property ? { default: property.default } : {};
    const all = [...(said.get(key) ?? [])];
    if ("default" in byDefault) all.push({ value: byDefault.default, origin: "default" });
    const [winner] = all;
    if (!winner) return [];
    const live = server.live[key] ?? "unknown";
    return [{ setting: { key, ...winner, value: merged(all), ...byDefault, live }, all }];
  });
}

/** The first value; where it is an object, with what the next ones say of other members, as long as they are objects. */
function merged(all: readonly LayerValue[]): unknown {
  const end = all.findIndex(({ value }) => !isRecord(value));
  if (end === 0 || all.length === 1) return all[0]?.value;
  return together((end < 0 ? all : all.slice(0, end)).map(({ value }) => value as Members));
}

type Members = Readonly<Record<string, unknown>>;

/** The nearest comes first; members are in the order of the lowest. */
function together(objects: readonly Members[]): Members {
  const [only] = objects;
  if (only && objects.length === 1) return only;
  const members = new Map<string, unknown[]>();
  for (const object of objects.toReversed()) {
    for (const [name, value] of Object.entries(object)) {
      const values = members.get(name);
      // What is below a value that is no object, or on which one is put, does not count.
      if (values && isRecord(value) && isRecord(values[0])) values.push(value);
      else members.set(name, [value]);
    }
  }
  return Object.fromEntries(
    Array.from(members, ([name, values]) => [
      name,
      isRecord(values[0]) ? together(values.toReversed() as Members[]) : values[0],
    ]),
  );
}

/** Only values from layers other than the default, by key. */
export const ownValues = (settings: readonly InForce[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    settings.filter(({ origin }) => origin !== "default").map(({ key, value }) => [key, value]),
  );

/** All set values by key: the form that servers receive. */
export const fullSet = (settings: readonly InForce[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    settings.filter(({ value }) => value !== null).map(({ key, value }) => [key, value]),
  );

export interface SettingChange {
  readonly key: string;
  /** Absent where there was none. */
  readonly old?: unknown;
  /** Absent where there is none any more. */
  readonly new?: unknown;
  readonly origin: LayerOrigin;
  readonly live: Live;
}

/** Changes that matter to a server; another origin of the same value does not. */
export function changesBetween(
  before: readonly InForce[],
  after: readonly InForce[],
): readonly SettingChange[] {
  const old = new Map(before.map((setting) => [setting.key, setting]));
  const changed = after.flatMap((setting): readonly SettingChange[] => {
    const { key, value, origin, live } = setting;
    const previous = old.get(key);
    old.delete(key);
    if (previous && isDeepStrictEqual(previous.value, value)) return [];
    return [{ key, ...(previous ? { old: previous.value } : {}), new: value, origin, live }];
  });
  const gone = [...old.values()].map(
    ({ key, value, live }): SettingChange => ({ key, old: value, origin: "default", live }),
  );
  return [...changed, ...gone];
}
