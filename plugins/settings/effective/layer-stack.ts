/** Layers on top of each other, time and again: where few are different, little is looked at. */
import { isRecord, type Layer, type LayerValue, saidBy } from "./layer.js";

/** By key, the nearest first, up to the first that is no object: nothing below it counts. */
type ByKey = Map<string, LayerValue[]>;

/** Layers that are looked at together. */
interface Group {
  readonly layers: readonly Layer[];
  readonly said: ByKey;
}

const SIZE = 128;

export class LayerStack {
  #groups: readonly Group[] = [];

  /** What the layers say, from the highest to the lowest. `layers` begins with the lowest. */
  said(layers: readonly Layer[]): ByKey {
    const groups: Group[] = [];
    for (let start = 0; start < layers.length; start += SIZE) {
      const known = this.#groups[groups.length];
      groups.push(known && isSame(known, layers, start) ? known : group(layers, start));
    }
    this.#groups = groups;
    const said: ByKey = new Map();
    for (let index = groups.length - 1; index >= 0; index -= 1) {
      for (const [key, list] of (groups[index] as Group).said) {
        for (const each of list) put(said, key, each);
      }
    }
    return said;
  }
}

function isSame(group: Group, layers: readonly Layer[], start: number): boolean {
  const { length } = group.layers;
  if (length !== Math.min(SIZE, layers.length - start)) return false;
  for (let index = 0; index < length; index += 1) {
    if (group.layers[index] !== layers[start + index]) return false;
  }
  return true;
}

function group(all: readonly Layer[], start: number): Group {
  const layers = all.slice(start, start + SIZE);
  const said: ByKey = new Map();
  const seen = new Set<Layer["values"]>();
  for (let index = layers.length - 1; index >= 0; index -= 1) {
    const layer = layers[index] as Layer;
    const { values } = layer;
    if (seen.has(values)) continue;
    seen.add(values);
    for (const key in values) {
      if (!Object.hasOwn(values, key) || values[key] === null) continue;
      put(said, key, saidBy(layer, values[key]));
    }
  }
  return { layers, said };
}

function put(said: ByKey, key: string, each: LayerValue): void {
  const list = said.get(key);
  if (!list) said.set(key, [each]);
  else if (isRecord(list.at(-1)?.value)) list.push(each);
}
