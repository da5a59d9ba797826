/** How the dashboard looks on one terminal: the colours of a theme in as many colours as there are. */

import type { Style } from "../../plugin-api/output.js";
import { BASIC, type Format, isRole, paintBasic, type Role } from "../../plugin-api/roles.js";
import { stateWord } from "../../print/layout.js";
import { stateLook } from "../../print/states.js";
import { nearest, rgbOf } from "./colours.js";
import type { ThemeColours, ThemeDefinition } from "./themes.js";

export interface Theme {
  readonly name: string;
  /** The text in a style; as it is where there are no styles. */
  readonly paint: (style: Style, text: string) => string;
  /** A whole line on the background of the theme. */
  readonly fill: (line: string) => string;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
  /** Marks what can be clicked, where a click is looked up. */
  readonly zone?: (name: string, text: string) => string;
}

/** Bits of a colour: 24 is all of them, 8 is 256, 4 is 16, 1 has bold and underlined text, 0 has nothing. */
export type ColourDepth = 0 | 1 | 4 | 8 | 24;

export interface TerminalColours {
  readonly depth: ColourDepth;
  readonly unicode: boolean;
  /** Whether the background of the theme is painted. @default true */
  readonly background?: boolean;
}

const none: Readonly<Record<Role, Format>> = {
  ...{ text: [], accent: [], ok: [], running: [], queued: [], dim: "dim", rule: "dim" },
  ...{ warn: "underline", fail: ["bold", "underline"], denied: "bold", selected: "inverse" },
  ...{ s1: [], s2: [], s3: [], s4: [], s5: [], s6: [] },
};

/** Screens of other packages may name colours. */
const MEANINGS: Readonly<Record<string, Role>> = {
  ...{ red: "fail", green: "ok", yellow: "warn", cyan: "running", blue: "accent" },
  ...{ magenta: "denied", gray: "dim", grey: "dim" },
};
const roleOf = <Each>(style: Each): Each | Role => MEANINGS[String(style)] ?? style;

/** No colours, all characters. */
export const plainTheme: Theme = {
  ...{ name: "plain", paint: (_, text) => text, fill: (line) => line, unicode: true },
};

export function createTheme(definition: ThemeDefinition, terminal: TerminalColours): Theme {
  const { depth, unicode, background = true } = terminal;
  const { name } = definition;
  if (depth === 0) return { ...plainTheme, name, unicode };
  if (depth < 8) {
    const table = depth === 1 ? none : BASIC;
    const basic: Theme["paint"] = (style, text) =>
      paintBasic([style].flat().map(roleOf) as Style, text, table);
    return { ...plainTheme, name, unicode, paint: basic };
  }
  const sequence = sequences(definition, depth === 24);
  const painted = (style: unknown, text: string): string => {
    const role = roleOf(style);
    if (!isRole(role)) return paintBasic(role as Style, text);
    const layer = role === "selected" ? 48 : 38;
    return wrap(text, sequence(role, layer), `\u001b[${layer + 1}m`);
  };
  const foreground = sequence("text", 38);
  const ground = sequence("background", 48);
  return {
    ...{ name, unicode },
    paint: (style, text) =>
      text === "" ? "" : [style].flat().reduceRight((all, each) => painted(each, all), text),
    fill: (line) =>
      background ? wrap(wrap(line, foreground, "\u001b[39m"), ground, "\u001b[49m") : line,
  };
}

/** What ends a colour inside goes back to this one. */
const wrap = (text: string, open: string, close: string): string =>
  open + text.replaceAll(close, open) + close;

function sequences({ colours, indexed }: ThemeDefinition, isTrue: boolean) {
  const known = new Map<string, string>();
  return (role: keyof ThemeColours, layer: 38 | 48): string => {
    const key = `${layer}${role}`;
    let text = known.get(key);
    if (text === undefined) {
      const rgb = rgbOf(colours[role]);
      const code = isTrue ? `2;${rgb.join(";")}` : `5;${indexed?.[role] ?? nearest(rgb)}`;
      text = `\u001b[${layer};${code}m`;
      known.set(key, text);
    }
    return text;
  };
}

/** The sign of a state and its word: it is found without colours. */
export function stateText({ paint }: Theme, state: string): string {
  const { sign, role } = stateLook(state);
  return paint(role, `${sign} ${stateWord(state)}`);
}

/** What a locale's name says; terminals that say nothing get ASCII. */
export function showsUnicode(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { LC_ALL, LC_CTYPE, LANG, TERM } = environment;
  return TERM !== "linux" && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}
