/**
 * JSON as nodes, in parts of a member or an element of the file: a generated configuration of 1 MiB takes the parser 150 ms.
 */
import { type MemberNode, parse, traverse, type ValueNode } from "@humanwhocodes/momoa";
import type { InParts } from "../../../grammar/reading/read-file.js";

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Member {
  readonly name: Range;
  readonly value: Range;
  /** Of a list: its elements. */
  readonly elements?: readonly Range[];
}

/** What the structure depends on; numbers and words stand between. A string that is not closed is one token to the end, so that it is read once. */
export const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{},:]/gs;
/** Tokens in a part. */
const STEP = 2_048;

/** A text whose brackets are nested too deep. */
export class TooDeep extends Error {
  /** Offset of the bracket. */
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

/**
 * The same node as from the parser, without lines and columns (`loc`), which nothing here reads.
 * @throws TooDeep; what the parser throws, with an `offset`
 */
export function* parseJsonInParts(text: string, nesting: number): InParts<ValueNode> {
  const members = yield* membersOf(text, nesting);
  if (!isObject(text)) return parse(text, { mode: "json", ranges: true }).body;
  const nodes: MemberNode[] = [];
  for (const { name, value, elements } of members) {
    const list: ValueNode[] = [];
    for (const element of elements ?? []) {
      list.push(nodeIn(text, element));
      yield;
    }
    nodes.push({
      type: "Member",
      name: nodeIn(text, name),
      value: elements
        ? {
            type: "Array",
            elements: list.map((each) => ({ type: "Element", value: each })),
            range: [value.start, value.end],
          }
        : nodeIn(text, value),
      range: [name.start, value.end],
    } as MemberNode);
    yield;
  }
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}") + 1;
  return { type: "Object", members: nodes, range: [start, end] } as unknown as ValueNode;
}

/** Whether it is a whole object: Node's own parser is twenty times as fast, but gives no offsets. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function nodeIn(text: string, { start, end }: Range): ValueNode {
  const { body } = parse(text.slice(start, end), { mode: "json", ranges: true });
  traverse(body, {
    enter(node) {
      if (node.range) node.range = [node.range[0] + start, node.range[1] + start];
    },
  });
  return body;
}

/** Members of the object that the text is; of another text, anything. */
function* membersOf(text: string, nesting: number): InParts<readonly Member[]> {
  const members: Member[] = [];
  let depth = 0;
  let name: Range | undefined;
  let elements: Range[] | undefined;
  let valueStart = 0;
  let elementStart = 0;
  const element = (end: number) => {
    const range = trimmed(text, elementStart, end);
    if (range.start < range.end) elements?.push(range);
    elementStart = end + 1;
  };
  const member = (end: number) => {
    const value = trimmed(text, valueStart, end);
    if (name) members.push({ name, value, ...(elements && { elements }) });
    name = undefined;
    elements = undefined;
  };
  let count = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    count += 1;
    if (count % STEP === 0) yield;
    switch (token) {
      case "{":
      case "[":
        depth += 1;
        if (depth > nesting) throw new TooDeep(index);
        if (depth === 2 && token === "[") {
          elements = [];
          elementStart = index + 1;
        }
        break;
      case "}":
      case "]":
        if (depth === 2 && elements) element(index);
        if (depth === 1) member(index);
        depth -= 1;
        break;
      case ",":
        if (depth === 2 && elements) element(index);
        if (depth === 1) member(index);
        break;
      case ":":
        if (depth === 1) valueStart = index + 1;
        break;
      default:
        if (depth === 1 && !name) name = { start: index, end: index + token.length };
    }
  }
  return members;
}

/** Without the blanks at both ends. */
function trimmed(text: string, start: number, end: number): Range {
  const isBlank = (at: number) => /[ \t\r\n]/.test(text.charAt(at));
  let first = start;
  let last = end;
  while (first < last && isBlank(first)) first += 1;
  while (last > first && isBlank(last - 1)) last -= 1;
  return { start: first, end: last };
}
