/** Parses a TLS client hello passively to find the server name. */

export type ClientHello =
  | { readonly kind: "partial" }
  | { readonly kind: "invalid" }
  | {
      readonly kind: "hello";
      /** The SNI name as sent. */
      readonly serverName: string | undefined;
      readonly protocols: readonly string[];
    };

const handshakeRecord = 22;
const clientHelloMessage = 1;
const serverNameExtension = 0;
const protocolsExtension = 16;
/** Real client hellos are smaller: one with post-quantum key shares has 2 KiB. */
export const longestHello = 16 * 1024;

const partial: ClientHello = { kind: "partial" };
const invalid: ClientHello = { kind: "invalid" };

/** Parses the bytes received so far. Never throws. */
export function readClientHello(bytes: Buffer): ClientHello {
  const message = joinRecords(bytes);
  if (message === "invalid") return invalid;
  if (message.length < 4) return bytes.length > longestHello ? invalid : partial;
  if (message[0] !== clientHelloMessage) return invalid;
  const length = message.readUIntBE(1, 3);
  if (length > longestHello) return invalid;
  if (message.length < 4 + length) return bytes.length > longestHello ? invalid : partial;
  return readBody(new Reader(message.subarray(4, 4 + length)));
}

/** A client hello may span several records; early data may follow at once. */
function joinRecords(bytes: Buffer): Buffer | "invalid" {
  const parts: Buffer[] = [];
  let joined = 0;
  for (let at = 0; at < bytes.length && !(joined >= 4 && joined >= messageLength(parts)); ) {
    if (bytes[at] !== handshakeRecord) return "invalid";
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return "invalid";
    if (at + 5 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > longestHello) return "invalid";
    const part = bytes.subarray(at + 5, at + 5 + length);
    parts.push(part);
    joined += part.length;
    at += 5 + length;
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** The length of the message, head included. */
function messageLength(parts: readonly Buffer[]): number {
  const head = parts[0] && parts[0].length >= 4 ? parts[0] : Buffer.concat(parts.slice(0, 4), 4);
  return 4 + head.readUIntBE(1, 3);
}

function readBody(body: Reader): ClientHello {
  body.skip(2 + 32);
  body.skip(body.number(1));
  body.skip(body.number(2));
  body.skip(body.number(1));
  if (body.failed) return invalid;
  let serverName: string | undefined;
  let protocols: readonly string[] = [];
  const extensions = body.remaining === 0 ? new Reader(Buffer.alloc(0)) : body.part(2);
  const seen = new Set<number>();
  while (!extensions.failed && extensions.remaining > 0) {
    const kind = extensions.number(2);
    const content = extensions.part(2);
    if (extensions.failed || seen.has(kind)) return invalid;
    seen.add(kind);
    if (kind === serverNameExtension) {
      serverName = readServerName(content);
      if (serverName === undefined) return invalid;
    }
    if (kind === protocolsExtension) protocols = readProtocols(content);
  }
  return extensions.failed || body.failed ? invalid : { kind: "hello", serverName, protocols };
}

/** Exactly one name: with two, the server could choose the one that was not checked. */
function readServerName(content: Reader): string | undefined {
  const list = content.part(2);
  const kind = list.number(1);
  const name = list.part(2);
  if (list.failed || content.failed || kind !== 0 || list.remaining > 0) return undefined;
  const text = name.rest().toString("latin1");
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

function readProtocols(content: Reader): string[] {
  const list = content.part(2);
  const names: string[] = [];
  while (!list.failed && list.remaining > 0) names.push(list.part(1).rest().toString("latin1"));
  return list.failed ? [] : names;
}

/** Reads forward. Past the end it sets `failed` and returns zeros. */
class Reader {
  failed = false;
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  number(size: 1 | 2): number {
    if (this.remaining < size) {
      this.failed = true;
      return 0;
    }
    this.#at += size;
    return this.#bytes.readUIntBE(this.#at - size, size);
  }

  skip(length: number): void {
    if (this.remaining < length) this.failed = true;
    else this.#at += length;
  }

  /** A part with its length in front. */
  part(lengthSize: 1 | 2): Reader {
    const length = this.number(lengthSize);
    const from = this.#at;
    this.skip(length);
    return new Reader(this.failed ? Buffer.alloc(0) : this.#bytes.subarray(from, from + length));
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }
}
