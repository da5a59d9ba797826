/** The order in which plugins swap: a plugin comes before those whose blocks refer to it. */
import type { Program } from "../config/program.js";

/** Sorts `plugins` by the references between their blocks; circles keep the given order. */
export function inOrderOfReferences(
  plugins: readonly string[],
  { blocks }: Program,
): readonly string[] {
  const needs = new Map<string, Set<string>>(plugins.map((plugin) => [plugin, new Set()]));
  for (const { plugin, references } of blocks.values()) {
    for (const key of references) {
      const target = blocks.get(key)?.plugin;
      if (target !== undefined && target !== plugin) needs.get(plugin)?.add(target);
    }
  }
  const sorted = new Set<string>();
  const visiting = new Set<string>();
  const visit = (plugin: string): void => {
    if (sorted.has(plugin) || visiting.has(plugin)) return;
    visiting.add(plugin);
    for (const needed of needs.get(plugin) ?? []) visit(needed);
    if (needs.has(plugin)) sorted.add(plugin);
  };
  for (const plugin of plugins) visit(plugin);
  return [...sorted];
}
