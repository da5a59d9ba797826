/** The functions of templates: Go's own as far as they apply, and three for secrets. */

export type Given = string | number | boolean | null | readonly Given[];
export type Functions = Readonly<Record<string, (...args: readonly Given[]) => Given>>;

/** The host as templates see it. Each function returns an empty text for an absent value. */
export interface TemplateWorld {
  environment(name: string): string;
  /** Without one line break at the end. */
  file(path: string): string;
  /** A credential file of the service manager, otherwise a variable. */
  credential(name: string): string;
}

export const isTrue = (value: Given): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : value !== null && value !== "" && value !== 0 && value !== false;

export function printed(value: Given): string {
  if (value === null) return "<no value>";
  return Array.isArray(value) ? `[${value.map(printed).join(" ")}]` : String(value);
}

export function functionsFor(world: TemplateWorld): Functions {
  return Object.assign(Object.create(null) as Record<string, never>, {
    getenv: (name: Given = "") => world.environment(printed(name)),
    cat: (path: Given = "") => world.file(printed(path)),
    credential: (name: Given = "") => world.credential(printed(name)),
    ...general,
  });
}

const general: Functions = {
  js: (...args) => forScript(args.map(printed).join("")),
  html: (...args) => forHtml(args.map(printed).join("")),
  urlquery: (...args) => encodeURIComponent(args.map(printed).join("")).replaceAll("%20", "+"),
  print: (...args) => args.map(printed).join(""),
  println: (...args) => `${args.map(printed).join(" ")}\n`,
  printf: (format = "", ...args) => formatted(printed(format), args),
  len: (value = "") => (Array.isArray(value) ? value.length : Buffer.byteLength(printed(value))),
  index: (list = [], at = 0) =>
    Array.isArray(list) ? ((list[Number(at)] as Given) ?? null) : null,
  not: (value = null) => !isTrue(value),
  and: (...args) => args.find((value) => !isTrue(value)) ?? args.at(-1) ?? null,
  or: (...args) => args.find(isTrue) ?? args.at(-1) ?? null,
  eq: (one = null, ...others) => others.some((other) => other === one),
  ne: (one = null, other = null) => one !== other,
  lt: (one = 0, other = 0) => compare(one, other) < 0,
  le: (one = 0, other = 0) => compare(one, other) <= 0,
  gt: (one = 0, other = 0) => compare(one, other) > 0,
  ge: (one = 0, other = 0) => compare(one, other) >= 0,
};

function compare(one: Given, other: Given): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return Buffer.compare(Buffer.from(printed(one)), Buffer.from(printed(other)));
}

/** Escapes for JavaScript, and so for JSON. */
function forScript(text: string): string {
  return text.replace(/[\\'"<>&=\p{Cc}\u2028\u2029]/gu, (character) => {
    if (character === "\\" || character === "'" || character === '"') return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
  "\0": "\ufffd",
};
const forHtml = (text: string): string =>
  text.replace(/[&<>"'\0]/g, (character) => entities[character] ?? character);

function formatted(format: string, args: readonly Given[]): string {
  let next = 0;
  return format.replace(/%(%|[a-zA-Z])/g, (_all, verb: string) => {
    if (verb === "%") return "%";
    const value = args[next] ?? null;
    next += 1;
    if (verb === "q") return JSON.stringify(printed(value));
    return verb === "x" && typeof value === "number" ? value.toString(16) : printed(value);
  });
}
