/** Converts a reference to a value of the request. */
import type { FileHook, ParameterReference } from "../hook.js";
import { quoted, reach, UnconvertibleError } from "./words.js";

/** An expression for the text of a value; missing if the request lacks it. */
export function textOf(reference: ParameterReference, hook: FileHook): string {
  const { source, name } = reference;
  switch (source) {
    case "string":
      return quoted(name);
    case "header":
      if (parsesAsJson(hook, "header", name))
        throw new UnconvertibleError("a header is parsed as JSON");
      return `header[${quoted(name)}]`;
    case "url":
    case "query": {
      const decoded = decodedText(hook, ["url", "query"], "query", name);
      return decoded === undefined ? `query[${quoted(name)}]` : anyText(decoded);
    }
    case "payload":
      return anyText(decodedText(hook, ["payload"], "payload", name) ?? payload(name));
    case "raw-request-body":
      return "body";
    case "request":
      if (name.toLowerCase() === "method") return "method";
      throw new UnconvertibleError("the language knows the sender's address without its port");
    case "entire-payload":
      return "json_encode(payload)";
    case "entire-query":
      return "json_encode(query)";
    case "entire-headers":
      throw new UnconvertibleError("the language has no `entire-headers`");
    default:
      throw new UnconvertibleError(`there is no source \`${source}\``);
  }
}

/** The same, with an empty text if it is missing. */
export function textOrNothing(reference: ParameterReference, hook: FileHook): string {
  const text = textOf(reference, hook);
  if (reference.source === "string" || text === "method") return text;
  return `try(${text}, "")`;
}

/** Any value as text: scalars as they are, the rest as JSON. */
const anyText = (value: string): string => `try("\${${value}}", json_encode(${value}))`;

/** A body that is a list is called `root` in hooks files. */
function payload(name: string): string {
  if (name === "") throw new UnconvertibleError("a payload reference has no name");
  const rooted = /^root(?=\.\d|\[\d)(.*)$/.exec(name);
  return rooted
    ? reach("payload", rooted[1] ?? "").replace(/^payload\[""\]/, "payload")
    : reach("payload", name);
}

const parsesAsJson = (hook: FileHook, source: string, name: string): boolean =>
  hook.parseAsJson.some((parsed) => parsed.source === source && name.split(".")[0] === parsed.name);

/** Below a text that is parsed as JSON. */
function decodedText(
  hook: FileHook,
  sources: readonly string[],
  root: string,
  name: string,
): string | undefined {
  for (const parsed of hook.parseAsJson) {
    if (!sources.includes(parsed.source)) continue;
    if (name === parsed.name)
      throw new UnconvertibleError(`\`${name}\` is parsed as JSON and used as a whole`);
    if (!name.startsWith(`${parsed.name}.`)) continue;
    return reach(`json_decode(${reach(root, parsed.name)})`, name.slice(parsed.name.length + 1));
  }
  return undefined;
}
