/** Finds the theme that `--theme` names: one of Reeve's, a file of the user, or by the terminal's background. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import JSON5 from "json5";
import { Exit, Failure } from "../plugin-api/exit.js";
import { isRole } from "../plugin-api/roles.js";
import { readText } from "../project/files.js";
import { luminance, type Rgb } from "./view/colours.js";
import { createTheme, type TerminalColours, type Theme } from "./view/theme.js";
import { builtInTheme, THEME_NAMES, THEMES, type ThemeDefinition } from "./view/themes.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ThemeRequest {
  readonly name: string;
  readonly environment: Environment;
  readonly terminal: TerminalColours;
  /** Asks the terminal for its background. Absent: it is not asked. */
  readonly background?: () => Promise<Rgb | undefined>;
}

/** The theme first, then the others, in the order of the key that changes them. */
export async function chooseThemes(request: ThemeRequest): Promise<readonly [Theme, ...Theme[]]> {
  const { name, environment, terminal } = request;
  const [night] = THEMES;
  if (night === undefined) throw new TypeError("There is no theme.");
  if (name === "mono") {
    const depth = terminal.depth === 0 ? 0 : 1;
    return [createTheme({ ...night, name }, { ...terminal, depth })];
  }
  const wanted =
    name === "auto"
      ? (builtInTheme(await shade(request)) ?? night)
      : (builtInTheme(name) ?? (await readTheme(name, environment)));
  const at = THEMES.indexOf(wanted);
  const others = [...THEMES.slice(at + 1), ...THEMES.slice(0, Math.max(0, at))];
  const themed = (each: ThemeDefinition) => createTheme(each, terminal);
  return [themed(wanted), ...others.map(themed)];
}

/** `night` where nothing says what the background is. */
async function shade({ environment, terminal, background }: ThemeRequest): Promise<string> {
  const colour = terminal.depth < 8 ? undefined : await background?.();
  if (colour !== undefined) return luminance(colour) > 0.4 ? "day" : "night";
  const ground = Number(/;(\d+)$/.exec(environment.COLORFGBG ?? "")?.[1]);
  return ground === 7 || (ground > 8 && ground < 16) ? "day" : "night";
}

function themesFolder({ XDG_CONFIG_HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(homedir(), ".config"), "reeve", "themes");
}

async function readTheme(name: string, environment: Environment): Promise<ThemeDefinition> {
  const known = `Themes are ${THEME_NAMES.join(", ")}, and files`;
  const folder = themesFolder(environment);
  if (!/^[\w-]+$/.test(name)) throw refused(`\`${name}\` is not the name of a theme`, `${known}.`);
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) {
    throw refused(`there is no theme \`${name}\``, `${known} of ${folder}.`);
  }
  const text = await readText(file);
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch {
    throw refused(`the theme ${file} is not JSON5`, EXAMPLE);
  }
  return definitionOf(name, value, (why) => refused(`the theme ${file} ${why}`, EXAMPLE));
}

const EXAMPLE = 'Write `{ base: "night", roles: { accent: "7ab7ff", background: "000000" } }`.';

const refused = (message: string, help: string): Failure =>
  new Failure(Exit.usage, message, { help });

/** A theme of the user: what it does not name is that of its base. */
function definitionOf(
  name: string,
  value: unknown,
  refuse: (why: string) => Failure,
): ThemeDefinition {
  if (typeof value !== "object" || value === null) throw refuse("is not an object");
  const { base = "night", roles = {}, ...others } = value as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`has \`${unknown}\`, which means nothing`);
  const from = builtInTheme(String(base));
  if (from === undefined) throw refuse(`has the base \`${String(base)}\`, which does not exist`);
  if (typeof roles !== "object" || roles === null) throw refuse("has `roles` that are no object");
  const own = Object.entries(roles).map(([role, colour]): [string, string] => {
    const hex = /^#?([0-9a-f]{6})$/i.exec(String(colour))?.[1];
    if (!(isRole(role) || role === "background")) throw refuse(`has no role \`${role}\` to color`);
    if (hex === undefined) throw refuse(`has no color of six hexadecimal digits for \`${role}\``);
    return [role, hex.toLowerCase()];
  });
  const indexed = Object.entries(from.indexed ?? {}).filter(
    ([role]) => !own.some(([each]) => each === role),
  );
  return {
    name,
    colours: { ...from.colours, ...Object.fromEntries(own) },
    indexed: Object.fromEntries(indexed),
  };
}
