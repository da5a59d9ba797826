/** Receives the body of a request: whole and within its limit, or not at all. */
import type { RequestView } from "./request-view.js";

/** Longer than its limit, or not as its head announced it. */
export type BodyProblem = "too_large" | "broken";

/** Whether the head announces a body. */
export const hasBody = ({ headers }: RequestView): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/** `limit` in bytes. `done` is called once; for a body that is too long as soon as that is known. */
export function receiveBody(
  { raw, headers }: RequestView,
  limit: number,
  done: (body: Uint8Array | BodyProblem) => void,
): void {
  const announced = Number(headers["content-length"] ?? Number.NaN);
  if (announced > limit) {
    done("too_large");
    return;
  }
  const chunks: Uint8Array[] = [];
  let [length, isOver] = [0, false];
  const end = (body: Uint8Array | BodyProblem): void => {
    if (isOver) return;
    isOver = true;
    done(body);
  };
  raw.on("data", (chunk: Uint8Array) => {
    // The rest is read and dropped.
    if (isOver) return;
    length += chunk.length;
    chunks.push(chunk);
    if (length <= limit) return;
    chunks.length = 0;
    end("too_large");
  });
  raw.on("end", () => {
    const [first] = chunks;
    if (!Number.isNaN(announced) && announced !== length) end("broken");
    else end(first && chunks.length === 1 ? first : Buffer.concat(chunks, length));
  });
  raw.on("error", () => end("broken"));
}
