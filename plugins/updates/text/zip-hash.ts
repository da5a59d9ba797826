/** The `h1:` hash of the files in a zip, as in go.sum and in lock files of Terraform. It does not depend on the compression. */
import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { compareText } from "./text.js";

/** Bytes unpacked at a time. */
const BATCH = 32 * 1024 * 1024;

/** Hashes each file's hash and name, in the order of names. @throws Error for an invalid zip file */
export function zipHash(zip: Uint8Array): string {
  const batches: Set<string>[] = [new Set()];
  let size = 0;
  unzipSync(zip, {
    filter: ({ name, originalSize }) => {
      if (name.endsWith("/")) return false;
      if (size > 0 && size + originalSize > BATCH) {
        batches.push(new Set());
        size = 0;
      }
      size += originalSize;
      batches.at(-1)?.add(name);
      return false;
    },
  });
  const sums = batches.flatMap((batch) =>
    Object.entries(unzipSync(zip, { filter: ({ name }) => batch.has(name) })).map(
      ([name, content]) => [name, createHash("sha256").update(content).digest("hex")] as const,
    ),
  );
  return hashOfSums(sums);
}

/** `h1:…` of file names and their SHA-256 in hexadecimal. */
export function hashOfSums(sums: readonly (readonly [name: string, sha256: string])[]): string {
  const whole = createHash("sha256");
  for (const [name, sum] of sums.toSorted(([a], [b]) => compareText(a, b)))
    whole.update(`${sum}  ${name}\n`);
  return `h1:${whole.digest("base64")}`;
}
