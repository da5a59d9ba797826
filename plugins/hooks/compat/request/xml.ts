/** Parses XML to nested values: attributes as `-name`, text beside elements as `#text`. */
import { SaxesParser } from "saxes";
import type { FieldValue, FieldValues } from "./value.js";

export type XmlReading =
  | { readonly ok: true; readonly value: FieldValues }
  | { readonly ok: false; readonly message: string };

interface Element {
  readonly name: string;
  readonly members: Record<string, FieldValue>;
  text: string;
}

const MAX_DEPTH = 100;

/** As the existing server begins it. */
const SYNTAX = "xml.Decoder.Token() - XML syntax error on line";

/** Knows only the five entities of XML itself and never reads external ones. `loose`: text around the root is ignored, and faults are in the words of the existing server. */
export function parseXml(text: string, loose = false): XmlReading {
  const top: Element = { name: "", members: Object.create(null), text: "" };
  const open: Element[] = [top];
  const parser = new SaxesParser({ xmlns: false });
  let problem: string | undefined;
  let last = "";
  parser.on("error", ({ message }) => {
    if (!loose) problem ??= message;
    if (problem !== undefined) return;
    const isAfter = open.length === 1 && Object.keys(top.members).length > 0;
    const isClosing = message.includes("unexpected close tag");
    if (!isClosing && (isAfter || message.includes("outside of root"))) return;
    const [, closed] = /<\/([^\s>]*)\s*>$/.exec(text.slice(0, parser.position)) ?? [];
    const fault =
      isClosing && closed !== undefined
        ? `element <${last}> closed by </${local(closed)}>`
        : message.replace(/^[\d:]+ /, "").replace(/^unclosed tag.*/, "unexpected EOF");
    problem = fault.startsWith("document must") ? "EOF" : `${SYNTAX} ${parser.line}: ${fault}`;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length > MAX_DEPTH) problem ??= "it is nested too deeply";
    const members: Record<string, FieldValue> = Object.create(null);
    for (const [attribute, value] of Object.entries(attributes)) {
      if (!/^xmlns(:|$)/.test(attribute)) members[`-${local(attribute)}`] = value;
    }
    open.push({ name: local(name), members, text: "" });
  });
  const said = (text: string): void => {
    const element = open.at(-1);
    if (element) element.text += text.trim();
  };
  parser.on("text", said);
  parser.on("cdata", said);
  parser.on("closetag", () => {
    const element = open.pop();
    const parent = open.at(-1);
    last = element?.name ?? "";
    if (element && parent) add(parent.members, element.name, contentOf(element));
  });
  try {
    parser.write(text).close();
  } catch (thrown) {
    problem ??= thrown instanceof Error ? thrown.message : String(thrown);
  }
  if (problem === undefined && Object.keys(top.members).length === 0) problem = "EOF";
  return problem === undefined ? { ok: true, value: top.members } : { ok: false, message: problem };
}

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

function contentOf({ members, text }: Element): FieldValue {
  if (Object.keys(members).length === 0) return text;
  return text === "" ? members : Object.assign(members, { "#text": text });
}

/** Elements with the same name become a list. */
function add(members: Record<string, FieldValue>, name: string, value: FieldValue): void {
  const present = members[name];
  if (present === undefined) members[name] = value;
  else if (Array.isArray(present)) (present as FieldValue[]).push(value);
  else members[name] = [present, value];
}
