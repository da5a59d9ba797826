/** Compressed bodies: unpacked within the limit, or refused. */
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import test from "ava";
import fc from "fast-check";
import { decodeBody } from "./encoding.js";

const outcome = (coding: string | undefined, bytes: Uint8Array, limit = 1000) => {
  const decoded = decodeBody(coding, bytes, limit);
  return decoded instanceof Uint8Array ? Buffer.from(decoded).toString() : decoded.status;
};

const HELLO = "hello, hello, hello";

for (const [coding, bytes, expected] of [
  [undefined, Buffer.from(HELLO), HELLO],
  ["identity", Buffer.from(HELLO), HELLO],
  ["gzip", gzipSync(HELLO), HELLO],
  [" GZIP ", gzipSync(HELLO), HELLO],
  ["x-gzip", gzipSync(HELLO), HELLO],
  ["deflate", deflateSync(HELLO), HELLO],
  ["deflate", deflateRawSync(HELLO), HELLO],
  ["br", brotliCompressSync(HELLO), HELLO],
  ["gzip", Buffer.alloc(0), ""],
  ["zstd", zstdCompressSync(HELLO), 415],
  ["gzip, gzip", gzipSync(gzipSync(HELLO)), 415],
  ["constructor", Buffer.from(HELLO), 415],
  ["gzip", Buffer.from(HELLO), 400],
  ["gzip", gzipSync(HELLO).subarray(0, 20), 400],
  ["br", gzipSync(HELLO), 400],
] as const) {
  test(`${bytes.length} bytes as ${coding ?? "they are"}: ${expected}`, (t) => {
    t.is(outcome(coding, bytes), expected);
  });
}

for (const [coding, compress] of [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const) {
  test(`a bomb in ${coding} is not unpacked`, (t) => {
    const bomb = compress(Buffer.alloc(50 * 1024 * 1024));
    t.true(bomb.length < 100_000);
    t.is(outcome(coding, bomb, 1024 * 1024), 413);
  });

  test(`${coding} up to the limit, and one byte more`, (t) => {
    t.is(outcome(coding, compress("x".repeat(1000))), "x".repeat(1000));
    t.is(outcome(coding, compress("x".repeat(1001))), 413);
    t.is(outcome(coding, compress("x"), 0), 413);
  });
}

test("whatever comes as compressed, it is unpacked within the limit or refused", (t) => {
  const coding = fc.constantFrom("gzip", "deflate", "br");
  fc.assert(
    fc.property(coding, fc.uint8Array({ maxLength: 200 }), fc.nat(20), (coding, bytes, cut) => {
      const headed = coding === "gzip" ? gzipSync(bytes).subarray(0, -cut || undefined) : bytes;
      const decoded = decodeBody(coding, headed, 100);
      return decoded instanceof Uint8Array
        ? decoded.length <= 100
        : [400, 413].includes(decoded.status);
    }),
    { numRuns: 1000 },
  );
  t.pass();
});
