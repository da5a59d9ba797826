/** Messages of the protocol that the proxy reads. */
import { isRecord } from "../effective/layer.js";

export type Id = string | number;

export interface Message {
  readonly jsonrpc?: "2.0";
  readonly id?: Id | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What stands at a path of members, `undefined` where it leads nowhere. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (each, name) => (isRecord(each) && Object.hasOwn(each, name) ? each[name] : undefined),
    value,
  );

/** `undefined` for what is no JSON object. */
export function parsed(body: Buffer): Message | undefined {
  try {
    const message: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the bytes contain one of the words. A `/` may be written escaped, so such a message may matter too. */
export function containsWord(body: Buffer, words: readonly Buffer[]): boolean {
  return words.some((word) => body.includes(word)) || body.includes("\\/");
}

export const wordBuffers = (...texts: readonly string[]): readonly Buffer[] =>
  texts.map((text) => Buffer.from(text));

/** Of a request or an answer. */
export const idOf = ({ id }: Message): Id | undefined => id ?? undefined;

const METHOD = Buffer.from('"method"');
const ID = Buffer.from('"id"');

/** Whether a message may be a request. */
export const isRequest = (body: Buffer): boolean => body.includes(METHOD) && body.includes(ID);

/** Bytes of an answer that is parsed to learn its id. */
const LONG = 64 * 1024;

/** The id of an answer; `undefined` for other messages. Of a long answer the id stands at one of its ends. */
export function answerId(body: Buffer): Id | undefined {
  if (body.length > LONG) return idAtTheEnds(body);
  const message = parsed(body);
  return message?.method === undefined ? (message?.id ?? undefined) : undefined;
}

/** Without reading all of it. A request whose answer is missed here is answered twice at worst, when a server dies. */
function idAtTheEnds(body: Buffer): Id | undefined {
  const head = body.toString("latin1", 0, 200);
  const tail = body.toString("latin1", body.length - 200);
  const [, id] =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")/.exec(head) ??
    /"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail) ??
    [];
  return id === undefined ? undefined : (JSON.parse(id) as Id);
}
