/** Paths with parameters: `deploy/:env`. Literal segments take precedence, from left to right. */

export interface PathMatch<T> {
  readonly value: T;
  /** Decoded once. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter: Node<T> | undefined;
  /** Patterns of one shape, which differ in the names of their parameters. */
  readonly ends: Array<{ readonly value: T; readonly names: readonly string[] }>;
}

const node = <T>(): Node<T> => ({ literals: new Map(), parameter: undefined, ends: [] });

/** `/deploy/:env` and `deploy/:env` are the same path. */
export const normalPath = (written: string): string => written.replace(/^\//, "");

export const hasParameters = (path: string): boolean => /(^|\/):/.test(path);

/** Paths with the same shape match the same requests. */
export const shapeOf = (path: string): string =>
  path.includes(":") ? path.replace(/(^|\/):[^/]+/g, "$1:") : path;

export class PathPatterns<T> {
  readonly #root = node<T>();
  readonly #values: T[] = [];

  get values(): readonly T[] {
    return this.#values;
  }

  get size(): number {
    return this.#values.length;
  }

  /** `path` has no leading slash. */
  add(path: string, value: T): void {
    const names: string[] = [];
    let at = this.#root;
    for (const segment of path.split("/")) {
      if (segment.startsWith(":")) {
        names.push(segment.slice(1));
        at.parameter ??= node();
        at = at.parameter;
      } else {
        const next = at.literals.get(segment) ?? node();
        at.literals.set(segment, next);
        at = next;
      }
    }
    at.ends.push({ value, names });
    this.#values.push(value);
  }

  /** In the order of `add`. `written`: as sent, below the prefix and its slash. */
  find(written: string): ReadonlyArray<PathMatch<T>> {
    if (this.#values.length === 0) return [];
    const parts = written.split("/", MAX_SEGMENTS + 1);
    if (parts.length > MAX_SEGMENTS) return [];
    const segments: string[] = [];
    for (const part of parts) {
      const segment = decoded(part);
      if (segment === undefined) return [];
      segments.push(segment);
    }
    return search(this.#root, segments, 0, []);
  }
}

const MAX_SEGMENTS = 16;

/** Each node has one depth, so none is visited twice. */
function search<T>(
  { literals, parameter, ends }: Node<T>,
  segments: readonly string[],
  depth: number,
  values: readonly string[],
): ReadonlyArray<PathMatch<T>> {
  const segment = segments[depth];
  if (segment === undefined) {
    return ends.map(({ value, names }) => ({ value, parameters: named(names, values) }));
  }
  const literal = literals.get(segment);
  const found = literal ? search(literal, segments, depth + 1, values) : [];
  if (found.length > 0 || !parameter || !isParameter(segment)) return found;
  return search(parameter, segments, depth + 1, [...values, segment]);
}

function named(
  names: readonly string[],
  values: readonly string[],
): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = Object.create(null);
  for (const [index, name] of names.entries()) parameters[name] = values[index] ?? "";
  return parameters;
}

/** Not empty, and without separators, even if decoded once more. */
const isParameter = (segment: string): boolean =>
  segment !== "" && segment !== "." && segment !== ".." && !/[/\\\p{Cc}]/u.test(segment);

function decoded(part: string): string | undefined {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
