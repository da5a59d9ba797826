/** Artifacts and plugins that a build script declares: notations, maps, arguments, plugin ids, rich versions. */
import type { GradleToken } from "../../../languages/gradle-tokens.js";
import type { TextRange } from "../../../text/text.js";
import { referenceName } from "./variables.js";

export interface ScriptDeclaration {
  /** `group:artifact`, or a plugin's id. */
  readonly name: string;
  readonly plugin: boolean;
  /** Literal, or the value of a variable. */
  readonly version:
    | { readonly text: string; readonly range: TextRange }
    | { readonly variable: string };
  /** The configuration: `implementation`, `classpath`, `plugins`. */
  readonly section: string;
  /** A platform decides versions of other artifacts. */
  readonly platform: boolean;
}

const COORDINATES = /^([A-Za-z_][\w.-]*):([\w.-]+):([^:@]+?)(?::[\w.-]+)?(?:@\w+)?$/;
const NAME = /^([A-Za-z_][\w.-]*):([\w.-]+)$/;
/** Calls between a configuration and its argument. */
export const WRAPPERS = new Set([
  "platform",
  "enforcedPlatform",
  "testFixtures",
  "create",
  "dependency",
]);
const LITERAL = /^(?:[\w.+\-[\](),\s]*\d[\w.+\-[\](),\s]*(?:!![\w.+-]*)?|\+|latest\.\w+)$/;
/** Calls whose strings only look like artifacts: reasons, files. */
const NO_CONFIGURATION = /^(?:because|files|fileTree|println)$/;

export function declarationsIn(list: readonly GradleToken[]): readonly ScriptDeclaration[] {
  return list.flatMap((token, at) => {
    if (token.kind === "text")
      return (
        inCatalog(list, at) ??
        notation(list, at) ??
        pluginId(list, at) ??
        ofKotlin(list, at) ??
        separate(list, at) ??
        []
      );
    if (token.kind === "word") return byMap(list, at) ?? [];
    return [];
  });
}

/** `"g:a:1.0"`, `"g:a:$version"`. */
function notation(
  list: readonly GradleToken[],
  at: number,
): readonly ScriptDeclaration[] | undefined {
  const token = list[at];
  if (!token) return undefined;
  const [, group = "", artifact = "", text = ""] = COORDINATES.exec(token.value) ?? [];
  if (text === "") return added(list, at) ?? rich(list, at);
  const start = token.start + group.length + artifact.length + 2;
  const version = versionOf(token, text, start);
  if (!version) return undefined;
  const configuration = configurationAt(list, at);
  if (NO_CONFIGURATION.test(configuration.section)) return [];
  return [{ name: `${group}:${artifact}`, plugin: false, version, ...configuration }];
}

/** `"g:a:" + version` */
function added(list: readonly GradleToken[], at: number): readonly ScriptDeclaration[] | undefined {
  const name = /^(.+):$/.exec(list[at]?.value ?? "")?.[1] ?? "";
  if (!NAME.test(name) || list[at + 1]?.value !== "+") return undefined;
  const version = valueAt(list, at + 2);
  return version && [{ name, plugin: false, version, ...configurationAt(list, at) }];
}

/** `kotlin("stdlib", "1.9.0")` is short for an artifact of Kotlin. */
function ofKotlin(
  list: readonly GradleToken[],
  at: number,
): readonly ScriptDeclaration[] | undefined {
  const [module, comma, first, equals, named] = list.slice(at, at + 5);
  const call = list[at - 1]?.value === "(" && list[at - 2]?.value === "kotlin";
  if (!call || comma?.value !== ",") return undefined;
  const spelled = first?.kind === "word" && equals?.value === "=";
  const version = valueAt(list, spelled ? at + 4 : at + 2);
  if (!version || (spelled && !named)) return undefined;
  const name = `org.jetbrains.kotlin:kotlin-${module?.value}`;
  return NAME.test(name)
    ? [{ name, plugin: false, version, ...configurationAt(list, at - 2) }]
    : undefined;
}

/**
 * An entry that a settings script adds to a catalog: `library("x", "g", "a").versionRef("v")`, `plugin("x", "id").version("1")`.
 * `at` is the first string.
 */
function inCatalog(
  list: readonly GradleToken[],
  at: number,
): readonly ScriptDeclaration[] | undefined {
  const word = list[at - 2]?.value;
  if (list[at - 1]?.value !== "(" || (word !== "library" && word !== "plugin")) return undefined;
  const texts: string[] = [];
  let end = at;
  while (list[end]?.kind === "text") {
    texts.push(list[end]?.value ?? "");
    end += 1;
    if (list[end]?.value !== ",") break;
    end += 1;
  }
  const [close, dot, key, open, argument] = list.slice(end, end + 5);
  const plugin = word === "plugin";
  if (texts.length !== (plugin ? 2 : 3) || close?.value !== ")" || dot?.value !== ".")
    return undefined;
  if (!/^version(?:Ref)?$/.test(key?.value ?? "") || open?.value !== "(") return undefined;
  const name = texts.slice(1).join(":");
  const reference = key?.value === "versionRef" ? argument?.value : undefined;
  const version =
    reference === undefined ? valueAt(list, end + 4) : { variable: `catalog.${reference}` };
  if (!version || !(plugin ? /^[\w.-]+$/ : NAME).test(name)) return [];
  const section = plugin ? "plugins" : "libraries";
  return [{ name, plugin, version, section, platform: false }];
}

function versionOf(
  token: GradleToken,
  text: string,
  start: number,
): ScriptDeclaration["version"] | undefined {
  const [, braced, bare] =
    /^(?:\$\{([^{}]+)\}|\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))$/.exec(text) ?? [];
  const reference = braced ?? bare;
  if (reference !== undefined)
    return token.template === true ? { variable: referenceName(reference) } : undefined;
  if (text.length > 100 || !LITERAL.test(text)) return undefined;
  return { text: text, range: { start, end: start + text.length } };
}

const literal = (token: GradleToken): ScriptDeclaration["version"] | undefined =>
  versionOf(token, token.value, token.start);

/** A string, or the dotted name of a variable. */
function valueAt(
  list: readonly GradleToken[],
  at: number,
): ScriptDeclaration["version"] | undefined {
  const token = list[at];
  if (token?.kind === "text") return literal(token);
  if (token?.kind !== "word") return undefined;
  let name = token.value;
  for (let dot = at + 1; list[dot]?.value === "." && list[dot + 1]?.kind === "word"; dot += 2)
    name += `.${list[dot + 1]?.value}`;
  return { variable: referenceName(name) };
}

/** `id("x") version "1"`, `id 'x' version '1' apply false`, `kotlin("jvm") version v`. */
function pluginId(
  list: readonly GradleToken[],
  at: number,
): readonly ScriptDeclaration[] | undefined {
  const id = list[at]?.value ?? "";
  const before = list[at - 1]?.value === "(" ? list[at - 2] : list[at - 1];
  if (before?.kind !== "word" || !["id", "kotlin"].includes(before.value)) return undefined;
  const behind = list[at + 1]?.value === ")" ? at + 2 : at + 1;
  const word = list[behind]?.value === "." ? behind + 1 : behind;
  if (list[word]?.kind !== "word" || list[word]?.value !== "version") return undefined;
  const version = valueAt(list, list[word + 1]?.value === "(" ? word + 2 : word + 1);
  const name = before.value === "kotlin" ? `org.jetbrains.kotlin.${id}` : id;
  if (!version || !/^[\w.-]+$/.test(name)) return undefined;
  return [{ name, plugin: true, version, section: "plugins", platform: false }];
}

/** `implementation("g", "a", "1.0")`. */
function separate(
  list: readonly GradleToken[],
  at: number,
): readonly ScriptDeclaration[] | undefined {
  const [group, comma, artifact, second, last, close] = list.slice(at, at + 6);
  const fits =
    list[at - 1]?.value === "(" &&
    list[at - 2]?.kind === "word" &&
    list[at - 2]?.value !== "library" &&
    [comma, second].every((sign) => sign?.kind === "sign" && sign.value === ",") &&
    close?.value === ")";
  if (!fits || artifact?.kind !== "text" || last?.kind !== "text") return undefined;
  const name = `${group?.value}:${artifact.value}`;
  const version = literal(last);
  if (!version || !NAME.test(name)) return undefined;
  return [{ name, plugin: false, version, ...configurationAt(list, at) }];
}

const KEYS = /^(?:group|name|version|classifier|ext|configuration|changing|transitive)$/;

/** `group: 'g', name: 'a', version: 'v'` in any order, with `=` in Kotlin. A set of `entry` calls shares group and version. */
function byMap(list: readonly GradleToken[], at: number): readonly ScriptDeclaration[] | undefined {
  const isKey = (key: number): boolean =>
    KEYS.test(list[key]?.value ?? "") && /^[:=]$/.test(list[key + 1]?.value ?? "");
  if (!isKey(at) || (list[at - 1]?.value === "," && isKey(at - 4))) return undefined;
  const texts = new Map<string, string>();
  let version: ScriptDeclaration["version"] | undefined;
  let next = at;
  for (;;) {
    const [key, value] = [list[next]?.value ?? "", list[next + 2]];
    if (value?.kind === "text") texts.set(key, value.value);
    if (key === "version") version = valueAt(list, next + 2);
    next += 3;
    while (list[next]?.value === "." && list[next + 1]?.kind === "word") next += 2;
    if (list[next]?.value !== "," || !isKey(next + 1)) break;
    next += 1;
  }
  const [group, artifact] = [texts.get("group"), texts.get("name")];
  if (!version || group === undefined) return undefined;
  const shared = version;
  const names = artifact === undefined ? entries(list, next) : [artifact];
  return names
    .map((name) => `${group}:${name}`)
    .filter((name) => NAME.test(name))
    .map((name) => ({ name, plugin: false, version: shared, ...configurationAt(list, at) }));
}

/** `{ entry 'a'; entry('b') }` after a set. */
function entries(list: readonly GradleToken[], from: number): readonly string[] {
  const open = list[from]?.value === ")" ? from + 1 : from;
  const depth = list[open]?.depth ?? 0;
  const names: string[] = [];
  if (list[open]?.value !== "{") return names;
  for (let at = open + 1; at < list.length && (list[at]?.depth ?? 0) > depth; at += 1) {
    const name = list[at + 1]?.value === "(" ? list[at + 2] : list[at + 1];
    if (list[at]?.value === "entry" && name?.kind === "text") names.push(name.value);
  }
  return names;
}

/** `implementation("g:a") { version { strictly("[1,2[") ; prefer("1.5") } }`: each is a declaration. */
function rich(list: readonly GradleToken[], at: number): readonly ScriptDeclaration[] | undefined {
  const name = list[at]?.value ?? "";
  if (!NAME.test(name)) return undefined;
  let open = at + 1;
  while (list[open]?.value === ")") open += 1;
  if (list[open]?.value !== "{") return undefined;
  const depth = list[open]?.depth ?? 0;
  const declarations: ScriptDeclaration[] = [];
  for (let next = open + 1; next < list.length && (list[next]?.depth ?? 0) > depth; next += 1) {
    const word = list[next];
    if (word?.kind !== "word" || !["strictly", "require", "prefer"].includes(word.value)) continue;
    const version = valueAt(list, list[next + 1]?.value === "(" ? next + 2 : next + 1);
    if (version) declarations.push({ name, plugin: false, version, ...configurationAt(list, at) });
  }
  return declarations;
}

/** The configuration that the string at `at` is an argument of. */
function configurationAt(
  list: readonly GradleToken[],
  at: number,
): Pick<ScriptDeclaration, "section" | "platform"> {
  let platform = false;
  for (let before = at - 1; before >= Math.max(0, at - 12); before -= 1) {
    const token = list[before];
    if (isCalled(list, before)) return { section: token?.value ?? "", platform };
    if (token?.kind !== "word") {
      if (token?.value === "{" || token?.value === "}") break;
      continue;
    }
    if (/platform$|^mavenBom$/i.test(token.value)) platform = true;
    if (token.value === "add" && list[before + 2]?.kind === "text")
      return { section: list[before + 2]?.value ?? "add", platform };
    if (!WRAPPERS.has(token.value)) return { section: token.value, platform };
  }
  return { section: "dependencies", platform };
}

/** `"testCustom"(…)`: a configuration without an accessor in Kotlin. */
export const isCalled = (list: readonly GradleToken[], at: number): boolean =>
  list[at]?.kind === "text" && list[at + 1]?.kind === "sign" && list[at + 1]?.value === "(";

/** `testImplementation`, `androidTestApi`, `debugImplementation`. */
export const isDevelopment = (section: string): boolean =>
  /^(?:test|debug)|Test(?=[A-Z]|$)|[a-z]Debug/.test(section);
