/** Reads setup.cfg and literal lists of setup.py, also by variable name; computed values are ignored. */
import { isForDevelopment, readWritten, type WrittenRequirement } from "./written-requirement.js";

export interface SetupFile {
  readonly written: readonly WrittenRequirement[];
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly python: string | undefined;
}

const CFG_LISTS = new Set(["install_requires", "setup_requires", "tests_require"]);

export function readSetupCfg(text: string): SetupFile {
  const written: WrittenRequirement[] = [];
  const said = new Map<string, string>();
  let section = "";
  let key = "";
  for (const { 0: line, index } of text.matchAll(/^.*$/gm)) {
    const bare = line.replace(/\r$/, "").replace(/^\uFEFF/, "");
    const skipped = line.startsWith("\uFEFF") ? 1 : 0;
    if (/^\s*([#;]|$)/.test(bare)) continue;
    const [, name] = /^\[([^\]]+)\]/.exec(bare) ?? [];
    if (name !== undefined) {
      [section, key] = [name, ""];
      continue;
    }
    const [head = "", named, value = ""] = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(bare) ?? [];
    if (named !== undefined) {
      key = named.replaceAll("-", "_");
      said.set(`${section}.${key}`, value.trim());
    }
    const listed =
      (section === "options" && CFG_LISTS.has(key)) || section === "options.extras_require";
    if (!listed) continue;
    const entry = named === undefined ? bare : value;
    const at = index + skipped + (named === undefined ? 0 : head.length - value.length);
    const list = section === "options" ? key : `extras_require.${key}`;
    const development =
      key === "tests_require" ||
      key === "setup_requires" ||
      (section !== "options" && isForDevelopment(key));
    // Several requirements in one line are separated by semicolons, so they have no markers.
    for (const { 0: each, index: position } of named === undefined
      ? [whole(entry)]
      : parts(entry)) {
      const one = readWritten(each, at + position, { section: list, development });
      if (one) written.push(one);
    }
  }
  return {
    written,
    name: said.get("metadata.name"),
    description: said.get("metadata.description"),
    python: said.get("options.python_requires"),
  };
}

interface Part {
  readonly 0: string;
  readonly index: number;
}
const whole = (text: string): Part => ({ 0: text, index: 0 });
const parts = (text: string): Iterable<Part> => text.matchAll(/[^;]+/g);

const PY_LIST =
  /\b(install_requires|setup_requires|tests_require|extras_require)\s*=\s*(dict\s*\(|[[{(]|[A-Za-z_]\w*)/g;
/** A text, or the key of a list in `dict(key=[…])`. */
const PY_TEXT = /(["'])((?:(?!\1)[^\\\n])*)\1|\b(\w+)\s*=\s*(?=[[("'])/g;

/** Reads literal texts in the list. Nothing is evaluated. */
export function readSetupPy(text: string): SetupFile {
  const written: WrittenRequirement[] = [];
  for (const { 0: head, 1: list = "", 2: value = "", index } of text.matchAll(PY_LIST)) {
    const start = /^\w+$/.test(value) ? meantBy(value, text) : index + head.length - 1;
    if (start === undefined) continue;
    const body = enclosed(text, start);
    let key = "";
    for (const { 0: quoted, 2: value = "", 3: named, index: at } of body.matchAll(PY_TEXT)) {
      if (named !== undefined) {
        key = named;
        continue;
      }
      if (/^\s*:/.test(body.slice(at + quoted.length))) {
        key = value;
        continue;
      }
      const section = list === "extras_require" ? `${list}.${key}` : list;
      const development =
        list === "extras_require" ? isForDevelopment(key) : list !== "install_requires";
      const one = readWritten(value, start + at + 1, { section, development });
      if (one) written.push(one);
    }
  }
  const said = (name: string): string | undefined =>
    new RegExp(`\\b${name}\\s*=\\s*(["'])((?:(?!\\1)[^\\\\\\n])*)\\1`).exec(text)?.[2];
  return {
    written,
    name: said("name"),
    description: said("description"),
    python: said("python_requires"),
  };
}

/** The start of the list that a name refers to, if its only value is a list. */
function meantBy(name: string, text: string): number | undefined {
  const [only, ...more] = text.matchAll(new RegExp(`^${name}\\b[^=\\n]*=\\s*(?!=)`, "gm"));
  if (!only || more.length > 0) return undefined;
  const end = only.index + only[0].length;
  const start = end + (/^dict\s*(?=\()/.exec(text.slice(end))?.[0].length ?? 0);
  return /[[{(]/.test(text[start] ?? "") ? start : undefined;
}

/** The text between matching brackets; comments are blanked to keep positions. */
function enclosed(text: string, start: number): string {
  let depth = 0;
  let quote = "";
  let out = "";
  for (let position = start; position < text.length; position += 1) {
    const letter = text[position] ?? "";
    if (quote === "" && letter === "#") {
      const end = text.indexOf("\n", position);
      const stop = end < 0 ? text.length : end;
      out += " ".repeat(stop - position);
      position = stop - 1;
      continue;
    }
    out += letter;
    if (quote !== "") {
      if (letter === quote || letter === "\n") quote = "";
      continue;
    }
    if (letter === '"' || letter === "'") quote = letter;
    if ("[{(".includes(letter)) depth += 1;
    if ("]})".includes(letter)) depth -= 1;
    if (depth === 0) return out;
  }
  return out;
}
