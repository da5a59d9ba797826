/** What a colour means. Screens and commands name roles; a theme decides what they look like. */
import { styleText } from "node:util";

export type Format = Parameters<typeof styleText>[0];

/** The roles, and what they look like in the 16 colours of every terminal. */
export const BASIC = {
  text: [],
  dim: "dim",
  accent: "blueBright",
  ok: "green",
  running: "cyan",
  queued: "magenta",
  warn: "yellow",
  fail: ["bold", "redBright"],
  denied: ["bold", "magentaBright"],
  /** The chosen row: the only role that is a background. */
  selected: "inverse",
  /** Lines between and beside texts. */
  rule: "gray",
  s1: "blueBright",
  s2: "green",
  s3: "yellow",
  s4: "magenta",
  s5: "red",
  s6: "cyan",
} as const satisfies Readonly<Record<string, Format>>;

export type Role = keyof typeof BASIC;
/** A role, a format of Node such as `bold`, or several of them. */
export type Style = Role | Format | ReadonlyArray<Role | (Format & string)>;

export const isRole = (style: unknown): style is Role =>
  typeof style === "string" && Object.hasOwn(BASIC, style);

/** The text in the 16 colours, or in those of another table. */
export function paintBasic(
  style: Style,
  text: string,
  table: Readonly<Record<Role, Format>> = BASIC,
): string {
  const formats = [style]
    .flat()
    .flatMap((each) => (isRole(each) ? table[each] : each)) as readonly string[];
  if (formats.length === 0 || text === "") return text;
  return styleText(formats as Format, text, { validateStream: false });
}
