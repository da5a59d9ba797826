/** Decompresses bodies, within the limit of a plain body. */
import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from "node:zlib";
import { type Refusal, refuse } from "./refusal.js";

const CODINGS: Readonly<Record<string, (bytes: Uint8Array, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflated,
  br: brotliDecompressSync,
};

const ACCEPTED = "gzip, deflate, br";

/** The decompressed body. `limit`: bytes of it. `encoding`: the header `Content-Encoding`. */
export function decodeBody(
  encoding: string | undefined,
  bytes: Uint8Array,
  limit: number,
): Uint8Array | Refusal {
  const coding = encoding?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return bytes;
  const decode = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
  if (!decode) {
    return refuse(
      "unsupported_media_type",
      `This Content-Encoding is not accepted; send the body plain, or as ${ACCEPTED}.`,
      { headers: { "accept-encoding": ACCEPTED } },
    );
  }
  if (bytes.length === 0) return bytes;
  try {
    // Zero would mean no limit.
    const decoded = decode(bytes, { maxOutputLength: Math.max(1, limit) });
    return decoded.length > limit ? tooLarge() : decoded;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return tooLarge();
    return refuse("bad_body", `The body does not match its Content-Encoding (${coding}).`);
  }
}

const tooLarge = (): Refusal =>
  refuse("body_too_large", "The decompressed body is longer than this server accepts.");

/** Some senders omit the two header bytes of the standard. */
function inflated(bytes: Uint8Array, options: ZlibOptions): Buffer {
  const [method = 0, flags = 0] = bytes;
  const wrapped = (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
  return wrapped ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
}
