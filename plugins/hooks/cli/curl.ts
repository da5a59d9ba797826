/** A stored request as a `curl` command for a shell. Nothing in the request can add words or read files. */
import type { RunRecord } from "reeve/cli";
import type { RunTrigger, StoredBody } from "../evidence/api.js";

/** What curl sends by itself, or what belongs to the connection of then. */
const OWN: ReadonlySet<string> = new Set([
  ...["host", "content-length", "connection", "transfer-encoding", "expect", "keep-alive"],
  ...["upgrade", "te", "trailer", "proxy-connection"],
]);

interface Listener {
  /** `127.0.0.1:9000` or `unix:/run/x.sock`. */
  readonly address: string;
  readonly prefixes: readonly string[];
}

/**
 * `undefined` where the run has no request. Secrets are `(secret)`, as they are stored.
 * @param listeners of the daemon: the address with the longest prefix of the path is called
 */
export function curlCommand(
  { request, trigger }: Pick<RunRecord, "request" | "trigger">,
  listeners: readonly Listener[],
): string | undefined {
  const stored = (request as RunTrigger | undefined)?.request;
  const path = /^\S+ (\/\S*)/.exec(trigger ?? "")?.[1];
  if (stored === undefined || path === undefined) return undefined;
  const { method, query, headers, body } = stored;
  const target = path.split("?", 1)[0] + (query === "" ? "" : `?${query}`);
  const { pipe, option, note } = bodyOf(body);
  const words = [
    "curl",
    "--globoff",
    ...(method === "HEAD" ? ["--head"] : ["-X", quoted(method)]),
    ...addressOf(path, target, listeners),
    ...headerOptions(headers, body.bytes > 0),
    ...option,
  ];
  return `${pipe}${words.join(" ")}${note}`;
}

function addressOf(
  path: string,
  target: string,
  listeners: readonly Listener[],
): readonly string[] {
  const length = (prefix: string) =>
    path === prefix || path.startsWith(prefix.replace(/\/?$/, "/")) ? prefix.length : -1;
  const ranked = listeners
    .map(({ address, prefixes }) => ({ address, fit: Math.max(-1, ...prefixes.map(length)) }))
    .filter(({ fit }) => fit >= 0)
    .sort((a, b) => b.fit - a.fit);
  const address = ranked[0]?.address ?? "127.0.0.1";
  return address.startsWith("unix:")
    ? ["--unix-socket", quoted(address.slice("unix:".length)), quoted(`http://localhost${target}`)]
    : [quoted(`http://${address}${target}`)];
}

function headerOptions(headers: readonly string[], hasBody: boolean): readonly string[] {
  const pairs = Array.from({ length: Math.floor(headers.length / 2) }, (_, index) => ({
    name: headers[index * 2] ?? "",
    value: headers[index * 2 + 1] ?? "",
  })).filter(({ name }) => !OWN.has(name.toLowerCase()) && /^[\w!#$%&'*+.^`|~-]+$/.test(name));
  const hasType = pairs.some(({ name }) => name.toLowerCase() === "content-type");
  const given = pairs.map(({ name, value }) => (value === "" ? `${name};` : `${name}: ${value}`));
  // Without one, curl would say that it is a form.
  const all = hasBody && !hasType ? [...given, "Content-Type:"] : given;
  return all.flatMap((header) => ["-H", quoted(header)]);
}

interface CurlBody {
  readonly pipe: string;
  readonly option: readonly string[];
  readonly note: string;
}

/** `--data-raw` takes a text as it is: `--data-binary` would read a file for one that starts with `@`. */
function bodyOf({ bytes, text, base64, cut }: StoredBody): CurlBody {
  const note = cut ? ` # only the beginning of ${bytes} bytes was stored` : "";
  if (bytes === 0) return { pipe: "", option: [], note };
  if (text !== undefined && !text.includes("\0")) {
    return { pipe: "", option: ["--data-raw", quoted(text)], note };
  }
  const encoded = base64 ?? Buffer.from(text ?? "").toString("base64");
  const pipe = `printf %s ${quoted(encoded)} | base64 -d | `;
  return { pipe, option: ["--data-binary", "@-"], note };
}

/** One word of a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
