/** Painted lines as pieces of text with roles. The dashboard paints with control sequences; here each role has a number of its own. */
import { BASIC, type Role } from "../plugin-api/roles.js";
import { createTheme } from "../tui/view/theme.js";
import { THEMES } from "../tui/view/themes.js";
import type { Line, PaintedText } from "./page/wire.js";

const ROLES = Object.keys(BASIC) as Role[];
/** Above the numbers of the 16 colours of a terminal. */
const FIRST = 16;
const [night] = THEMES;
if (night === undefined) throw new Error("there is no theme");

/** Paints for `spansOf`. */
export const spanTheme = createTheme(
  {
    name: "page",
    colours: night.colours,
    indexed: Object.fromEntries(ROLES.map((role, index) => [role, FIRST + index])),
  },
  { depth: 8, unicode: true, background: false },
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is read
const SEQUENCE = /\u001b\[([\d;]*)m/;

/** A line in pieces of one role each. Other control sequences are left out. */
export function spansOf(line: string): readonly PaintedText[] {
  const spans: PaintedText[] = [];
  let role: Role | undefined;
  let bold = false;
  line.split(SEQUENCE).forEach((part, index) => {
    if (index % 2 === 0) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing but text reaches the page
      const text = part.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
      if (text !== "") spans.push({ text, ...(role && { role }), ...(bold && { bold }) });
    } else if (part.startsWith("38;5;")) role = ROLES[Number(part.slice(5)) - FIRST];
    else if (part === "39") role = undefined;
    else if (part === "1") bold = true;
    else if (part === "22" || part === "0" || part === "") bold = false;
  });
  return spans;
}

/** A line whose columns are apart by two spaces or more. */
export function columnsOf(line: string): Line {
  const columns: PaintedText[][] = [[]];
  for (const span of spansOf(line)) {
    span.text.split(/ {2,}/).forEach((text, index) => {
      if (index > 0) columns.push([]);
      if (text !== "") columns.at(-1)?.push({ ...span, text });
    });
  }
  return columns.filter((column) => column.some(({ text }) => text.trim() !== ""));
}
