/** YAML 1.1 as a tree, the way hooks files have always been read. */
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
import { MAX_DEPTH, MAX_NODES, type Member, type Node, type TreeReading } from "./tree.js";

/** Only the first document counts. */
export function readYaml(text: string): TreeReading {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    // Scalars are judged by whoever wants a text, a number or a truth.
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
  const place = { line: Math.max(1, line), column: Math.max(1, col) };
  return { ok: false, complaint: { place, message: first.replace(/\.$/, "") } };
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

  node(node: unknown, depth: number): Node {
    const offset = (node as YamlNode | null)?.range?.[0] ?? 0;
    this.#nodes += 1;
    if (depth > MAX_DEPTH) throw new Misplaced("it is nested too deeply", offset);
    if (this.#nodes > MAX_NODES) throw new Misplaced("its aliases make it too large", offset);
    const place = this.#place(offset);
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (!target) throw new Misplaced(`there is no anchor \`${node.source}\``, offset);
      return this.node(target, depth + 1);
    }
    if (isSeq(node)) {
      return { kind: "list", items: node.items.map((item) => this.node(item, depth + 1)), place };
    }
    if (isMap(node)) {
      const brought: Member[] = [];
      const own: Member[] = [];
      for (const { key, value } of node.items) {
        const members = this.#members(key, value, depth);
        (isMerge(key) ? brought : own).push(...members);
      }
      return { kind: "map", members: [...brought, ...own], place };
    }
    if (isScalar(node)) {
      return { kind: "scalar", text: String(node.value ?? ""), plain: isPlain(node), place };
    }
    return { kind: "scalar", text: "null", plain: true, place };
  }

  /** `<<` brings what another map has; what the map says itself comes later and counts. */
  #members(key: unknown, value: unknown, depth: number): readonly Member[] {
    const name = this.node(key, depth + 1);
    if (isMerge(key)) return this.#merged(this.node(value, depth + 1));
    if (name.kind !== "scalar") {
      throw new Misplaced("a key is a text", (key as YamlNode | null)?.range?.[0] ?? 0);
    }
    return [{ name: name.text, value: this.node(value, depth + 1), place: name.place }];
  }

  /** Of several the first counts. */
  #merged(node: Node): readonly Member[] {
    const maps = node.kind === "list" ? node.items.toReversed() : [node];
    return maps.flatMap((map) => (map.kind === "map" ? map.members : []));
  }

  #place(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.#counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

const isMerge = (key: unknown): boolean => isScalar(key) && key.value === "<<" && isPlain(key);

/** A tag such as `!!str` says what it is, as quotes do. */
const isPlain = ({ type, tag }: Scalar): boolean => type === "PLAIN" && tag === undefined;
