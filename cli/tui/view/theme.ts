/** How the dashboard looks: colours and characters, chosen once. Meanings never hang on a colour alone. */
import { styleText } from "node:util";
import type { Style } from "../../plugin-api/output.js";
import { stateStyle, stateWord } from "../../print/layout.js";

type ThemeName = "default" | "high-contrast" | "mono";

export interface Theme {
  /** The text in a style; as it is where there are no styles. */
  readonly paint: (style: Style, text: string) => string;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
}

type Palette = Readonly<Partial<Record<string, Style>>>;

/** Blue and yellow are told apart by everybody, red and green are not; red is bold besides. */
const PALETTES: Readonly<Record<ThemeName, Palette>> = {
  default: { green: "cyan", red: ["bold", "red"] },
  "high-contrast": {
    green: ["bold", "cyanBright"],
    red: ["bold", "inverse"],
    yellow: ["bold", "yellowBright"],
    cyan: "whiteBright",
    dim: "white",
  },
  mono: {
    green: "reset",
    red: ["bold", "underline"],
    yellow: "underline",
    cyan: "reset",
    magenta: "bold",
    dim: "dim",
  },
};

export interface Terminal {
  readonly theme: ThemeName;
  /** Whether styles are wanted at all, bold and inverse included. */
  readonly colour: boolean;
  readonly unicode: boolean;
}

export function themeOf({ theme, colour, unicode }: Terminal): Theme {
  const palette = PALETTES[theme];
  const mapped = (style: Style): Style => {
    const [only, ...more] = [style].flat();
    return more.length === 0 && typeof only === "string" ? (palette[only] ?? style) : style;
  };
  return {
    unicode,
    paint: (style, text) => {
      const wanted = mapped(style);
      if (!colour || wanted === "reset" || text === "") return text;
      return styleText(wanted, text, { validateStream: false });
    },
  };
}

/** No styles, all characters. */
export const plainTheme: Theme = { paint: (_, text) => text, unicode: true };

/** A sign beside a state's word, so that it is found without colours. */
const SIGNS: Readonly<Record<string, string>> = { red: "✗", yellow: "▲", green: "●", dim: "○" };

export function stateText({ paint }: Theme, state: string): string {
  const style = stateStyle(state);
  return paint(style, `${SIGNS[String(style)] ?? "○"} ${stateWord(state)}`);
}

/** What a locale's name says; terminals that say nothing get ASCII. */
export function showsUnicode(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { LC_ALL, LC_CTYPE, LANG, TERM } = environment;
  return TERM !== "linux" && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}
