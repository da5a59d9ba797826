/** The themes as data. Every text has a contrast of 4.5 on the background and on the chosen row; a test computes it. */
import type { Role } from "../../plugin-api/roles.js";

/** Six hexadecimal digits for each role, and the background. */
export interface ThemeColours extends Readonly<Record<Role, string>> {
  readonly background: string;
}

export interface ThemeDefinition {
  readonly name: string;
  readonly colours: ThemeColours;
  /** Where the nearest of the 256 colours has too little contrast. */
  readonly indexed?: Readonly<Partial<Record<keyof ThemeColours, number>>>;
}

const ORDER = [
  ...["background", "text", "dim", "accent", "ok", "running", "queued", "warn", "fail", "denied"],
  ...["selected", "rule", "s1", "s2", "s3", "s4", "s5", "s6"],
];

/** The colours in the order above. */
const coloursOf = (digits: string): ThemeColours =>
  Object.fromEntries(
    digits.split(" ").map((hex, index) => [ORDER[index], hex]),
  ) as unknown as ThemeColours;

export const THEMES: readonly ThemeDefinition[] = [
  {
    name: "night",
    colours: coloursOf(
      "10141b d9e1ec 94a3b8 7ab7ff 56d6a4 5cc8f5 b9a5ff f3c553 ff8078 ff93cf " +
        "22364f 5c6b80 7ab7ff 56d6a4 f3c553 c39bff ff9e64 5fd7d7",
    ),
    indexed: { selected: 236 },
  },
  {
    name: "day",
    colours: coloursOf(
      "fbfcfe 1b2430 566274 0b5cad 0f6b4a 0a6a94 5d45b0 7d5700 b3261e a01f74 " +
        "d6e6fa 7a8799 0b5cad 0f6b4a 8a5a00 6b46c1 b0450e 0b6e75",
    ),
    indexed: { queued: 55, s4: 55, s6: 23, s2: 22, selected: 255 },
  },
  {
    name: "contrast",
    colours: coloursOf(
      "000000 ffffff d0d0d0 66ccff 00ff9c 5fe3ff d9c2ff ffe14d ff9c94 ffa8e0 " +
        "06356b b8b8b8 66ccff 00ff9c ffe14d d9c2ff ffb36b 5ff5f5",
    ),
    indexed: { selected: 17 },
  },
  {
    name: "clear",
    colours: coloursOf(
      "12161c e4e8ee 9aa6b5 74b9ff 56b4e9 8fd0ff b8bfc8 f0e442 ff8a4a eda6d2 " +
        "263750 66758a 56b4e9 e69f00 f0e442 cc8fb4 ffffff 2fbf92",
    ),
  },
  {
    name: "ember",
    colours: coloursOf(
      "1d1814 f0e4d2 b5a48f f2a65a a9c46c 7cc4b8 cfa8d8 f5cf6b ff8a70 f79ab8 " +
        "463423 7d6a57 f2a65a a9c46c 7cc4b8 f5cf6b cfa8d8 ff8a70",
    ),
  },
];

/** What `--theme` takes besides the names of files: `auto` is `day` or `night`, `mono` has no colours. */
export const THEME_NAMES: readonly string[] = ["auto", ...THEMES.map(({ name }) => name), "mono"];

export const builtInTheme = (wanted: string): ThemeDefinition | undefined =>
  THEMES.find(({ name }) => name === wanted);
