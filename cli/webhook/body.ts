/** The body of a request, all of it or none. */
import type { IncomingMessage } from "node:http";

/** Bytes. Senders of webhooks stay far below; GitHub's most is 25 MB. */
const MOST = 64 * 1024 * 1024;

export interface Unread {
  readonly status: number;
  readonly message: string;
}

/** A body that does not arrive as it was announced is none: it must not run anything. */
export async function readBody(request: IncomingMessage): Promise<Buffer | Unread> {
  if (Number(request.headers["content-length"] ?? 0) > MOST) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MOST) return tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return { status: 400, message: "unexpected EOF" };
  }
  return Buffer.concat(chunks, size);
}

const tooLarge: Unread = { status: 413, message: "The body is too large." };
