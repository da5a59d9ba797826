/** Damages bytes, and cuts them into pieces. */
import type { Random } from "./random.js";

/** Bytes with a meaning in HTTP or TLS. */
const boundaryBytes = [0, 1, 9, 10, 13, 20, 22, 23, 32, 35, 44, 47, 48, 58, 64, 92, 127, 128, 255];

/** Changes, drops, duplicates, moves or truncates a few bytes. */
export function damaged(bytes: Buffer, random: Random): Buffer {
  let result = Buffer.from(bytes);
  for (let times = 1 + random.below(3); times > 0 && result.length > 0; times -= 1) {
    result = damagedOnce(result, random);
  }
  return result;
}

function damagedOnce(bytes: Buffer, random: Random): Buffer<ArrayBuffer> {
  const at = random.below(bytes.length);
  const length = 1 + random.below(Math.min(16, bytes.length - at));
  const [before, part, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ];
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, part, part, after]);
    case 2:
      return Buffer.concat([before, Buffer.from([random.pick(boundaryBytes)]), part, after]);
    case 3:
      return Buffer.concat([before, random.bytes(length), after]);
    case 4:
      return Buffer.concat([before, part]);
    case 5: {
      const to = random.below(after.length + 1);
      return Buffer.concat([before, after.subarray(0, to), part, after.subarray(to)]);
    }
    default: {
      const changed = Buffer.from(bytes);
      changed[at] = random.once(2)
        ? random.pick(boundaryBytes)
        : (changed[at] ?? 0) ^ (1 << (at % 8));
      return changed;
    }
  }
}

/** The same bytes in one to four pieces. */
export function cut(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  let rest = bytes;
  for (let cuts = random.below(4); cuts > 0 && rest.length > 1; cuts -= 1) {
    const at = 1 + random.below(rest.length - 1);
    pieces.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
  return [...pieces, rest];
}
