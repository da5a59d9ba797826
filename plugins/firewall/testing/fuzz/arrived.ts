/** Parses what an origin got from the proxy, as strictly as possible: it must be one request for this origin. */
import { readClientHello } from "../../proxy/client-hello.js";

/** The fault, if there is one. An incomplete request is none. */
export function complaint(
  protocol: "http" | "https",
  host: string,
  bytes: Buffer,
): string | undefined {
  if (bytes.length === 0) return undefined;
  return protocol === "https"
    ? tlsComplaint(host, bytes)
    : httpComplaint(host, bytes.toString("latin1"));
}

function tlsComplaint(host: string, bytes: Buffer): string | undefined {
  const hello = readClientHello(bytes);
  if (hello.kind !== "hello") return `not a client hello but ${hello.kind}`;
  return same(hello.serverName ?? host, host)
    ? undefined
    : `a client hello for ${hello.serverName}`;
}

function httpComplaint(host: string, text: string): string | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return "a head without an end";
  const [line = "", ...fields] = text.slice(0, end).split("\r\n");
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (?:\/[\x21-\x7e\x80-\xff]*|\*) HTTP\/1\.1$/.test(line)) {
    return `a request line that is none: ${JSON.stringify(line)}`;
  }
  const odd = fields.find(
    (field) => !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/.test(field),
  );
  if (odd !== undefined) return `a field that is none: ${JSON.stringify(odd)}`;
  const all = (name: string) =>
    fields
      .filter((field) => field.toLowerCase().startsWith(`${name}:`))
      .map((field) => field.slice(name.length + 1).trim());
  const hosts = all("host");
  if (hosts.length !== 1 || !same((hosts[0] ?? "").replace(/:80$/, ""), host)) {
    return `a Host that is not allowed: ${JSON.stringify(hosts)}`;
  }
  return bodyComplaint(
    text.slice(end + 4),
    all("content-length"),
    all("transfer-encoding"),
    all("upgrade").length > 0,
  );
}

const same = (written: string, host: string) => written.toLowerCase().replace(/\.$/, "") === host;

function bodyComplaint(
  body: string,
  lengths: readonly string[],
  codings: readonly string[],
  upgrades: boolean,
): string | undefined {
  if (lengths.length + codings.length > 1) return "more than one framing of the body";
  if (codings.length === 1) {
    if (codings[0]?.toLowerCase() !== "chunked") return `a transfer coding ${codings[0]}`;
    const rest = afterChunks(body);
    return rest === "" ? undefined : `something behind the chunks: ${JSON.stringify(rest)}`;
  }
  const [length = "0"] = lengths;
  if (!/^\d+$/.test(length)) return `a content length ${length}`;
  return body.length > Number(length) && !upgrades
    ? `something behind the body: ${JSON.stringify(body.slice(Number(length)))}`
    : undefined;
}

/** Empty if the chunks so far are well-formed. */
function afterChunks(body: string): string {
  for (let at = 0; at < body.length; ) {
    const [head, size] = /^([0-9a-f]+)\r\n/.exec(body.slice(at)) ?? [];
    if (head === undefined || size === undefined) {
      return /^[0-9a-f]*\r?$/.test(body.slice(at)) ? "" : body.slice(at);
    }
    at += head.length + Number.parseInt(size, 16);
    if (at >= body.length) return "";
    const ends = body.slice(at, at + 2);
    if (!"\r\n".startsWith(ends)) return body.slice(at);
    at += 2;
    if (size === "0") return body.slice(at);
  }
  return "";
}
