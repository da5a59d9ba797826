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
