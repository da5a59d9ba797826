/** The hash `h1:` of what is in a zip file, the same in go.sum and in lock files of Terraform: it does not depend on how it was packed. */
import { createHash } from "node:crypto";
import { unzipSync } from "fflate";

/** Bytes unpacked at one time. */
const BATCH = 32 * 1024 * 1024;

/** Of each file's own hash and name, in the order of names. @throws Error for what is no zip file */
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

/** `h1:…` of names and the SHA-256 of what they stand for, in hexadecimal. */
export function hashOfSums(sums: readonly (readonly [name: string, sha256: string])[]): string {
  const whole = createHash("sha256");
  for (const [name, sum] of sums.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    whole.update(`${sum}  ${name}\n`);
  return `h1:${whole.digest("base64")}`;
}
