/** Receives the body of a request: whole and within its limit, or not at all. */
import { type Refusal, refuse } from "../decide/refusal.js";
import type { RequestView } from "./request-view.js";

/** Whether there is a body to wait for. With GET and HEAD there is none that anybody reads. */
export const hasBody = ({ method, headers }: RequestView): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0");

/** `limit` in bytes. `done` is called once, where the body is longer than that as soon as it is known. */
export function receive(
  { raw, headers }: RequestView,
  limit: number,
  done: (body: Uint8Array | Refusal) => void,
): void {
  const announced = Number(headers["content-length"] ?? Number.NaN);
  if (announced > limit) {
    done(tooLarge());
    return;
  }
  const chunks: Uint8Array[] = [];
  let [length, isOver] = [0, false];
  const end = (body: Uint8Array | Refusal): void => {
    if (isOver) return;
    isOver = true;
    done(body);
  };
  raw.on("data", (chunk: Uint8Array) => {
    // What comes behind the limit is let go.
    if (isOver) return;
    length += chunk.length;
    chunks.push(chunk);
    if (length <= limit) return;
    chunks.length = 0;
    end(tooLarge());
  });
  raw.on("end", () => {
    const [first] = chunks;
    if (!Number.isNaN(announced) && announced !== length) end(broken());
    else end(first && chunks.length === 1 ? first : Buffer.concat(chunks, length));
  });
  raw.on("error", () => end(broken()));
}

const tooLarge = (): Refusal =>
  refuse("body_too_large", "The body is longer than this server accepts.", CLOSING);

const broken = (): Refusal =>
  refuse("bad_request", "The request did not arrive as it was announced.", CLOSING);

/** More of it may come, which nobody will read. */
const CLOSING = { headers: { connection: "close" } } as const;
