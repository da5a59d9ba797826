/**
 * Keys with dots. A schema may list `analysis.typeCheckingMode` as one key, while files, editors and servers write objects in
 * objects. Inside the plugin a key is what the schema lists; servers receive objects.
 */
import { isRecord } from "../effective/layer.js";
import type { JsonMember, JsonNode } from "../read/tree.js";

type Values = Readonly<Record<string, unknown>>;

/** A value by its key, and where it is in what was read. */
export interface KeyedValue {
  readonly key: string;
  readonly value: unknown;
  readonly path: readonly string[];
}

export class DottedKeys {
  readonly #known: ReadonlySet<string>;
  /** `a` and `a.b` for a known key `a.b.c`. */
  readonly #groups: ReadonlySet<string>;

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
    this.#groups = new Set(
      [...known].flatMap((key) => {
        const parts = key.split(".");
        return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
      }),
    );
  }

  /** The values by key. An object that only groups known keys becomes its members. */
  flat(values: Values): Values {
    if (this.#groups.size === 0) return values;
    return Object.fromEntries(this.entries(values).map(({ key, value }) => [key, value]));
  }

  entries(values: Values, prefix = "", path: readonly string[] = []): readonly KeyedValue[] {
    return Object.entries(values).flatMap(([name, value]) => {
      const key = prefix + name;
      const here = [...path, name];
      return this.#isGroup(key) && isRecord(value)
        ? this.entries(value, `${key}.`, here)
        : [{ key, value, path: here }];
    });
  }

  /** The same for a tree with places. */
  flatTree(root: JsonNode): JsonNode {
    if (this.#groups.size === 0 || root.kind !== "object") return root;
    return { ...root, members: this.#flatMembers(root.members, "") };
  }

  #flatMembers(members: readonly JsonMember[], prefix: string): readonly JsonMember[] {
    return members.flatMap((member) => {
      const key = prefix + member.key;
      return this.#isGroup(key) && member.value.kind === "object"
        ? this.#flatMembers(member.value.members, `${key}.`)
        : [{ ...member, key }];
    });
  }

  /** Whether a section has known keys, is one, or is inside the value of one. */
  covers(section: string): boolean {
    const parts = section.split(".");
    const isInside = parts.some((_, index) => this.#known.has(parts.slice(0, index + 1).join(".")));
    return isInside || this.#groups.has(section);
  }

  #isGroup(key: string): boolean {
    return this.#groups.has(key) && !this.#known.has(key);
  }
}

/** Objects in objects, as servers expect them. A key that is both a value and a group keeps its dots. */
export function nested(values: Values): Values {
  const keys = Object.keys(values);
  if (!keys.some((key) => key.includes("."))) return values;
  const root: Tree = new Map();
  const groups = new Set<Tree>([root]);
  for (const [key, value] of Object.entries(values)) {
    const parts = key.split(".");
    const last = parts.pop() ?? key;
    const parent = parts.reduce<Tree | undefined>((tree, part) => {
      const next = tree?.get(part) ?? new Map();
      if (!tree || !(next instanceof Map)) return undefined;
      if (!tree.has(part)) tree.set(part, next);
      groups.add(next);
      return next;
    }, root);
    if (parent && !parent.has(last)) parent.set(last, value);
    else root.set(key, value);
  }
  return plain(root, groups);
}

type Tree = Map<string, unknown>;

const plain = (tree: Tree, groups: ReadonlySet<unknown>): Values =>
  Object.fromEntries(
    Array.from(tree, ([key, value]) => [
      key,
      value instanceof Map && groups.has(value) ? plain(value as Tree, groups) : value,
    ]),
  );

/** `value` below a path of objects. */
export const below = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value);

/** The values with another one at a path; members beside the path stay. */
export function withValue(values: Values, path: readonly string[], value: unknown): Values {
  const [name, ...rest] = path;
  if (name === undefined) return isRecord(value) ? { ...values, ...value } : values;
  const inner = Object.hasOwn(values, name) ? values[name] : undefined;
  const next = rest.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, rest, value);
  return { ...values, ...Object.fromEntries([[name, next]]) };
}
