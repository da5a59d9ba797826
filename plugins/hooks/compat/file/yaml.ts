/** Parses YAML 1.1 to a tree, like the existing server. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Scalar,
  type Node as YamlNode,
} from "yaml";
import {
  type HooksFileMember,
  type HooksFileNode,
  MAX_DEPTH,
  MAX_NODES,
  type TreeReading,
} from "./tree.js";

/** Only the first document counts. */
export function readYaml(text: string): TreeReading {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    // The decoder converts scalars to a text, a number or a boolean.
    schema: "failsafe",
    uniqueKeys: false,
    lineCounter: counter,
    prettyErrors: false,
    logLevel: "silent",
  });
  const [document] = documents as readonly Document[];
  if (!document?.contents) return empty(document, counter);
  const [error] = document.errors;
  if (error) return no(counter, error.pos[0], error.message);
  try {
    return { ok: true, tree: new Walk(document, counter).node(document.contents, 0) };
  } catch (thrown) {
    if (!(thrown instanceof Misplaced)) throw thrown;
    return no(counter, thrown.offset, thrown.message);
  }
}

function empty(document: Document | undefined, counter: LineCounter): TreeReading {
  const error = document?.errors[0];
  return error ? no(counter, error.pos[0], error.message) : { ok: true, tree: undefined };
}

function no(counter: LineCounter, offset: number, message: string): TreeReading {
  const { line, col } = counter.linePos(offset);
  const [first = ""] = message.split("\n");
  const position = { line: Math.max(1, line), column: Math.max(1, col) };
  return { ok: false, complaint: { position, message: first.replace(/\.$/, "") } };
}

class Misplaced extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

class Walk {
  readonly #document: Document;
  readonly #counter: LineCounter;
  #nodes = 0;

  constructor(document: Document, counter: LineCounter) {
    this.#document = document;
    this.#counter = counter;
  }

  node(node: unknown, depth: number): HooksFileNode {
    const offset = (node as YamlNode | null)?.range?.[0] ?? 0;
    this.#nodes += 1;
    if (depth > MAX_DEPTH) throw new Misplaced("it is nested too deeply", offset);
    if (this.#nodes > MAX_NODES) throw new Misplaced("its aliases make it too large", offset);
    const position = this.#position(offset);
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (!target) throw new Misplaced(`there is no anchor \`${node.source}\``, offset);
      return this.node(target, depth + 1);
    }
    if (isSeq(node)) {
      return {
        kind: "list",
        items: node.items.map((item) => this.node(item, depth + 1)),
        position,
      };
    }
    if (isMap(node)) {
      const brought: HooksFileMember[] = [];
      const own: HooksFileMember[] = [];
      for (const { key, value } of node.items) {
        const members = this.#members(key, value, depth);
        (isMerge(key) ? brought : own).push(...members);
      }
      return { kind: "map", members: [...brought, ...own], position };
    }
    if (isScalar(node)) {
      return { kind: "scalar", text: String(node.value ?? ""), plain: isPlain(node), position };
    }
    return { kind: "scalar", text: "null", plain: true, position };
  }

  /** `<<` adds the members of another map; the map's own come later and count. */
  #members(key: unknown, value: unknown, depth: number): readonly HooksFileMember[] {
    const name = this.node(key, depth + 1);
    if (isMerge(key)) return this.#merged(this.node(value, depth + 1));
    if (name.kind !== "scalar") {
      throw new Misplaced("a key is a text", (key as YamlNode | null)?.range?.[0] ?? 0);
    }
    return [{ name: name.text, value: this.node(value, depth + 1), position: name.position }];
  }

  /** The first of several counts. */
  #merged(node: HooksFileNode): readonly HooksFileMember[] {
    const maps = node.kind === "list" ? node.items.toReversed() : [node];
    return maps.flatMap((map) => (map.kind === "map" ? map.members : []));
  }

  #position(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.#counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

const isMerge = (key: unknown): boolean => isScalar(key) && key.value === "<<" && isPlain(key);

/** A tag such as `!!str` sets the type, like quotes. */
const isPlain = ({ type, tag }: Scalar): boolean => type === "PLAIN" && tag === undefined;
