/** What a build script says about artifacts and plugins: notations, maps, arguments, plugin ids, rich versions. */
import type { GradleToken } from "../../languages/gradle-tokens.js";
import type { TextRange } from "../../text/text.js";
import { catalogCall } from "./catalog-calls.js";
import { referenceName } from "./variables.js";

export interface ScriptDeclaration {
  /** `group:artifact`, or a plugin's id. */
  readonly name: string;
  readonly plugin: boolean;
  /** Written here, or a variable's. */
  readonly version:
    | { readonly text: string; readonly range: TextRange }
    | { readonly variable: string };
  /** The configuration: `implementation`, `classpath`, `plugins`. */
  readonly section: string;
  /** A platform decides versions of others. */
  readonly platform: boolean;
}

const COORDINATES = /^([A-Za-z_][\w.-]*):([\w.-]+):([^:@]+?)(?::[\w.-]+)?(?:@\w+)?$/;
const NAME = /^([A-Za-z_][\w.-]*):([\w.-]+)$/;
/** Words between a configuration and what it is given. */
export const WRAPPERS = new Set([
  "platform",
  "enforcedPlatform",
  "testFixtures",
  "create",
  "dependency",
]);
const LITERAL = /^(?:[\w.+\-[\](),\s]*\d[\w.+\-[\](),\s]*(?:!![\w.+-]*)?|\+|latest\.\w+)$/;
/** What is given texts that only look like artifacts: reasons, files. */
const NO_CONFIGURATION = /^(?:because|files|fileTree|println)$/;

export function mentionsOf(list: readonly GradleToken[]): readonly ScriptDeclaration[] {
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
  const [, group = "", artifact = "", written = ""] = COORDINATES.exec(token.value) ?? [];
  if (written === "") return added(list, at) ?? rich(list, at);
  const start = token.start + group.length + artifact.length + 2;
  const version = versionOf(token, written, start);
  if (!version) return undefined;
  const place = around(list, at);
  if (NO_CONFIGURATION.test(place.section)) return [];
  return [{ name: `${group}:${artifact}`, plugin: false, version, ...place }];
}

/** `"g:a:" + version` */
function added(list: readonly GradleToken[], at: number): readonly ScriptDeclaration[] | undefined {
  const name = /^(.+):$/.exec(list[at]?.value ?? "")?.[1] ?? "";
  if (!NAME.test(name) || list[at + 1]?.value !== "+") return undefined;
  const version = valueAt(list, at + 2);
  return version && [{ name, plugin: false, version, ...around(list, at) }];
}

/** `kotlin("stdlib", "1.9.0")` stands for an artifact of Kotlin's own. */
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
  return NAME.test(name) ? [{ name, plugin: false, version, ...around(list, at - 2) }] : undefined;
}

/** What a settings script puts into a catalog. */
function inCatalog(
  list: readonly GradleToken[],
  at: number,
): readonly ScriptDeclaration[] | undefined {
  const call = catalogCall(list, at);
  if (!call) return undefined;
  const { name, plugin, at: place, reference } = call;
  const version =
    reference === undefined ? valueAt(list, place) : { variable: `catalog.${reference}` };
  if (!version || !(plugin ? /^[\w.-]+$/ : NAME).test(name)) return [];
  const section = plugin ? "plugins" : "libraries";
  return [{ name, plugin, version, section, platform: false }];
}

function versionOf(
  token: GradleToken,
  written: string,
  start: number,
): ScriptDeclaration["version"] | undefined {
  const [, braced, bare] =
    /^(?:\$\{([^{}]+)\}|\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))$/.exec(written) ?? [];
  const reference = braced ?? bare;
  if (reference !== undefined)
    return token.template === true ? { variable: referenceName(reference) } : undefined;
  if (written.length > 100 || !LITERAL.test(written)) return undefined;
  return { text: written, range: { start, end: start + written.length } };
}

const literal = (token: GradleToken): ScriptDeclaration["version"] | undefined =>
  versionOf(token, token.value, token.start);

/** A text, or the name of a variable with its dots. */
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
  return [{ name, plugin: false, version, ...around(list, at) }];
}

const KEYS = /^(?:group|name|version|classifier|ext|configuration|changing|transitive)$/;

/** `group: 'g', name: 'a', version: 'v'` in any order, with `=` in Kotlin; a set of `entry`s shares group and version. */
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
  const found = version;
  const names = artifact === undefined ? entries(list, next) : [artifact];
  return names
    .map((name) => `${group}:${name}`)
    .filter((name) => NAME.test(name))
    .map((name) => ({ name, plugin: false, version: found, ...around(list, at) }));
}

/** `{ entry 'a'; entry('b') }` behind a set. */
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

/** `implementation("g:a") { version { strictly("[1,2[") ; prefer("1.5") } }`: each of them is a place. */
function rich(list: readonly GradleToken[], at: number): readonly ScriptDeclaration[] | undefined {
  const name = list[at]?.value ?? "";
  if (!NAME.test(name)) return undefined;
  let open = at + 1;
  while (list[open]?.value === ")") open += 1;
  if (list[open]?.value !== "{") return undefined;
  const depth = list[open]?.depth ?? 0;
  const found: ScriptDeclaration[] = [];
  for (let next = open + 1; next < list.length && (list[next]?.depth ?? 0) > depth; next += 1) {
    const word = list[next];
    if (word?.kind !== "word" || !["strictly", "require", "prefer"].includes(word.value)) continue;
    const version = valueAt(list, list[next + 1]?.value === "(" ? next + 2 : next + 1);
    if (version) found.push({ name, plugin: false, version, ...around(list, at) });
  }
  return found;
}

/** The configuration that a text at `at` is given to. */
function around(
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

/** `"testCustom"(…)`: Kotlin's way to name a configuration that it has no word for. */
export const isCalled = (list: readonly GradleToken[], at: number): boolean =>
  list[at]?.kind === "text" && list[at + 1]?.kind === "sign" && list[at + 1]?.value === "(";

/** `testImplementation`, `androidTestApi`, `debugImplementation`. */
export const isDevelopment = (section: string): boolean =>
  /^(?:test|debug)|Test(?=[A-Z]|$)|[a-z]Debug/.test(section);
