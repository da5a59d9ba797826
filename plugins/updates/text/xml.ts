/** XML with source ranges of text and attributes, so that values can be replaced. */
import { SaxesParser } from "saxes";
import { UpdatesError } from "../errors.js";
import type { TextRange } from "./text.js";

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, XmlValue>;
  readonly children: readonly XmlElement[];
  /** Undefined for elements with children or without text. */
  readonly value: XmlValue | undefined;
}

/** Without leading and trailing blanks. */
export interface XmlValue {
  readonly text: string;
  readonly range: TextRange;
}

interface Open extends XmlElement {
  readonly attributes: Map<string, XmlValue>;
  readonly children: XmlElement[];
  value: XmlValue | undefined;
  readonly start: number;
}

/** Deeper than any manifest. */
const MAX_DEPTH = 200;

/** External entities are never read. @throws UpdatesError `manifest_unreadable` */
export function readXml(file: string, text: string): XmlElement {
  const top: Open = open("", 0);
  const stack: Open[] = [top];
  const parser = new SaxesParser({ xmlns: false, fragment: false });
  let attributes = new Map<string, XmlValue>();
  const fail = (why: string): never => {
    throw new UpdatesError("manifest_unreadable", `${file} cannot be read as XML: ${why}.`);
  };
  parser.on("error", ({ message }) => fail(message));
  parser.on("attribute", ({ name, value }) => {
    // The parser's position is after the closing quote.
    const end = parser.position - 1;
    const quote = text[end];
    const start = text.lastIndexOf(quote ?? '"', end - 1) + 1;
    attributes.set(local(name), { text: value, range: { start, end } });
  });
  parser.on("opentag", ({ name }) => {
    if (stack.length > MAX_DEPTH) fail("it is nested too deeply");
    const element: Open = { ...open(local(name), parser.position), attributes };
    attributes = new Map();
    stack.at(-1)?.children.push(element);
    stack.push(element);
  });
  parser.on("closetag", () => {
    const element = stack.pop();
    if (!element || element.children.length > 0) return;
    const end = text.lastIndexOf("</", parser.position - 1);
    if (end < element.start) return;
    element.value = plainValue(text, element.start, end);
  });
  parser.write(text).close();
  return top;
}

const open = (name: string, start: number): Open => ({
  name,
  attributes: new Map(),
  children: [],
  value: undefined,
  start,
});

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Comments count as blanks. Undefined for text with references or CDATA, which cannot be replaced in place. */
function plainValue(text: string, from: number, to: number): XmlValue | undefined {
  const raw = text
    .slice(from, to)
    .replace(/<!--[\s\S]*?-->/g, (comment) => " ".repeat(comment.length));
  const value = raw.trim();
  if (value === "" || /[<&]/.test(value)) return undefined;
  const start = from + raw.indexOf(value);
  return { text: value, range: { start, end: start + value.length } };
}

const children = ({ children: all }: XmlElement, name: string): readonly XmlElement[] =>
  all.filter((child) => child.name === name);

export const child = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((each) => each.name === name);

export const valueIn = (element: XmlElement | undefined, name: string): XmlValue | undefined =>
  child(element, name)?.value;

/** All elements at a path of names below `element`. */
export function descend(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  let found: readonly XmlElement[] = [element];
  for (const name of path) found = found.flatMap((each) => children(each, name));
  return found;
}
