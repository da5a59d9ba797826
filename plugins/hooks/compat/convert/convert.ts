/** Converts hooks of a file to the language: equal decisions, arguments and variables for equal requests. */
import { fileVariable } from "../command.js";
import type { FileHook, RuleMatch } from "../hook.js";
import { programOf } from "../program-path.js";
import { convertRule } from "./rule.js";
import { textOf, textOrNothing } from "./value.js";
import { list, object, quoted, UnconvertibleError } from "./words.js";

export interface Conversion {
  /** Not yet formatted. */
  readonly text: string;
  /** Hooks that cannot be converted, with the reason. */
  readonly left: ReadonlyArray<{ readonly hook: FileHook; readonly reason: string }>;
  /** Environment variables for the secrets of the file. */
  readonly secrets: readonly string[];
}

export function convertHooks(hooks: readonly FileHook[]): Conversion {
  const blocks: string[] = [];
  const left: Array<{ readonly hook: FileHook; readonly reason: string }> = [];
  const secrets: string[] = [];
  const seen = new Set<string>();
  for (const hook of hooks) {
    try {
      if (seen.has(hook.id)) throw new UnconvertibleError("the id is taken by an earlier hook");
      const converted = convert(hook);
      seen.add(hook.id);
      blocks.push(converted.text);
      secrets.push(...converted.secrets);
    } catch (thrown) {
      if (!(thrown instanceof UnconvertibleError)) throw thrown;
      left.push({ hook, reason: thrown.message });
    }
  }
  return { text: blocks.join("\n"), left, secrets };
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const KNOWN = new Set([...METHODS, "HEAD", "OPTIONS"]);

function convert(hook: FileHook): { readonly text: string; readonly secrets: readonly string[] } {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(hook.id))
    throw new UnconvertibleError("its id cannot be a name");
  if (hook.command === "") throw new UnconvertibleError("it has no command");
  const { proofs, condition } = convertRule(hook);
  const secrets = proofs.map((_proof, at) => variableFor(hook.id, proofs.length > 1 ? at + 1 : 0));
  const lines = [
    condition === undefined ? "" : `when = ${condition}`,
    `run = ${list([quoted(programOf(hook)), ...hook.args.map((each) => textOrNothing(each, hook))])}`,
    `methods = ${list(methodsOf(hook).map(quoted))}`,
    parseOf(hook),
    hook.directory === "" ? "" : `cwd = ${quoted(hook.directory)}`,
    environmentOf(hook),
    filesOf(hook),
    "timeout = 1h",
    ...proofs.map((proof, at) => verify(proof, secrets[at] ?? "")),
    response(hook),
  ];
  return { text: `hook ${quoted(hook.id)} {\n${lines.filter(Boolean).join("\n")}\n}\n`, secrets };
}

const variableFor = (id: string, number: number): string =>
  `${id.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_SECRET${number > 0 ? `_${number}` : ""}`;

/** Safe methods run nothing unless the hook lists them. */
function methodsOf({ methods }: FileHook): readonly string[] {
  if (methods.length === 0) return METHODS;
  const known = [...new Set(methods)].filter((method) => KNOWN.has(method));
  if (known.length === 0) throw new UnconvertibleError("it answers to no method that HTTP knows");
  return known;
}

function parseOf({ contentType }: FileHook): string {
  if (contentType === "") return "";
  if (contentType.includes("json")) return 'parse = "json"';
  if (contentType.includes("x-www-form-urlencoded")) return 'parse = "form"';
  if (contentType.includes("xml")) return 'parse = "xml"';
  throw new UnconvertibleError(`the language does not read ${contentType}`);
}

function environmentOf(hook: FileHook): string {
  if (hook.env.length === 0) return "";
  const variables = new Map<string, string>();
  for (const each of hook.env) {
    const name = each.variable || `HOOK_${each.name}`;
    const before = variables.get(name);
    // The last one that the request has counts.
    const value =
      before === undefined ? textOrNothing(each, hook) : `try(${textOf(each, hook)}, ${before})`;
    variables.set(name, value);
  }
  return `env = ${object(checkedNames([...variables]))}`;
}

/** Both pass the path in the variable of the same name. */
function filesOf(hook: FileHook): string {
  if (hook.files.length === 0) return "";
  if (hook.files.some(({ base64 }) => base64))
    throw new UnconvertibleError("the language does not decode Base64 for files");
  const files = hook.files.map((each) => [fileVariable(each), textOrNothing(each, hook)] as const);
  const variables = hook.env.map(({ variable, name }) => variable || `HOOK_${name}`);
  const names = [...variables, ...files.map(([name]) => name)];
  const twice = files.find(([name]) => names.filter((each) => each === name).length > 1);
  if (twice) throw new UnconvertibleError(`two values are passed as \`${twice[0]}\``);
  return `files = ${object(checkedNames(files))}`;
}

function checkedNames<Entry extends readonly [name: string, value: string]>(
  entries: readonly Entry[],
): readonly Entry[] {
  const [wrong] = entries.find(([name]) => !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) ?? [];
  if (wrong === undefined) return entries;
  throw new UnconvertibleError(`\`${wrong}\` cannot be the name of a variable`);
}

function verify({ type, parameter }: RuleMatch, variable: string): string {
  if (parameter.source !== "header")
    throw new UnconvertibleError("its signature is not in a header");
  const algorithm = type.slice(type.lastIndexOf("-") + 1);
  return `verify "hmac" {
header = ${quoted(parameter.name)}
algorithm = ${quoted(algorithm)}
# The secret was in the file.
secret = secret(${quoted(`env:${variable}`)})
}`;
}

function response(hook: FileHook): string {
  const { includeOutput, includeOutputOnError, message, successStatus, mismatchStatus } = hook;
  const unknown = [successStatus, mismatchStatus].find(
    (status) => status !== 0 && (status < 200 || status > 599),
  );
  if (unknown !== undefined) throw new UnconvertibleError(`${unknown} is not a status of HTTP`);
  const headers = hook.headers.map(({ name, value }) => [name, quoted(value)] as const);
  const lines = [
    includeOutput ? "include_output = true" : "",
    includeOutput && includeOutputOnError ? "include_output_on_error = true" : "",
    `status = ${successStatus || 200}`,
    mismatchStatus === 0 ? "" : `mismatch_status = ${mismatchStatus}`,
    includeOutput ? "" : `body = ${quoted(message)}`,
    headers.length === 0 ? "" : `headers = ${object(headers)}`,
  ];
  return `response {\n${lines.filter(Boolean).join("\n")}\n}`;
}
