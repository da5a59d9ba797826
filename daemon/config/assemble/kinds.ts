/** The kinds of blocks that plugins bring, under the names they are written by. */
import type { BlockDescriptor } from "../../plugin-api/descriptor.js";
import { laterNames } from "../check/block-body.js";
import { Translator } from "../check/translate.js";
import type { PluginFunctions } from "../evaluate/evaluation-run.js";
import type { BoundPlugin } from "../program.js";

export interface BoundKind {
  /** As it is written: `hook`, `acme.chat`. */
  readonly name: string;
  /** Without namespace. */
  readonly bare: string;
  readonly plugin: BoundPlugin;
  readonly descriptor: BlockDescriptor;
  readonly translator: Translator;
}

export class Kinds {
  readonly #kinds = new Map<string, BoundKind>();
  /** By namespace, or by the id of a built-in plugin. */
  readonly functions = new Map<string, PluginFunctions>();
  /** Namespaces that blocks are written under. */
  readonly namespaces = new Set<string>();

  readonly #plugins: readonly BoundPlugin[];

  constructor(plugins: readonly BoundPlugin[]) {
    this.#plugins = plugins;
    for (const plugin of plugins) {
      const { description, namespace } = plugin;
      const translator = translatorOf(plugin);
      if (namespace !== undefined) this.namespaces.add(namespace);
      for (const [bare, descriptor] of Object.entries(description.blocks)) {
        const name = namespace === undefined ? bare : `${namespace}.${bare}`;
        this.#kinds.set(name, { name, bare, plugin, descriptor, translator });
      }
      this.functions.set(namespace ?? description.id, {
        plugin: description.id,
        functions: description.functions,
      });
    }
  }

  find(name: string): BoundKind | undefined {
    return this.#kinds.get(name);
  }

  get names(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** Every plugin with the schemas of its types. */
  get translators(): ReadonlyArray<readonly [BoundPlugin, Translator]> {
    return this.#plugins.map((plugin) => [plugin, translatorOf(plugin)]);
  }

  /** Names that attributes know at run time, with the attributes that do: `payload` in `when` and `run`. */
  runTimeNames(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, readonly string[]>();
    const visit = ({ attributes, blocks }: BlockDescriptor): void => {
      for (const [attribute, { type }] of Object.entries(attributes)) {
        for (const name of Object.keys(laterNames(type)?.names ?? {})) {
          const known = found.get(name) ?? [];
          if (!known.includes(attribute)) found.set(name, [...known, attribute]);
        }
      }
      Object.values(blocks).forEach(visit);
    };
    for (const { descriptor } of this.#kinds.values()) visit(descriptor);
    return found;
  }

  /** For hints: the kind that contains blocks of this kind, if it is a nested one. */
  parentOf(nested: string): string | undefined {
    for (const [name, { descriptor }] of this.#kinds) {
      if (Object.hasOwn(descriptor.blocks, nested)) return name;
    }
    return undefined;
  }
}

/** Schemas are made once for a description, not once for a load. */
const translators = new WeakMap<object, Map<string | undefined, Translator>>();

function translatorOf({ description, namespace }: BoundPlugin): Translator {
  const known = translators.get(description) ?? new Map<string | undefined, Translator>();
  translators.set(description, known);
  const translator = known.get(namespace) ?? new Translator(namespace);
  known.set(namespace, translator);
  return translator;
}
