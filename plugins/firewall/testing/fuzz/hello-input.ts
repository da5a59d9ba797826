/** Generates client hellos by their grammar (RFC 8446, 4.1.2), valid or not. */
import type { Random } from "./random.js";

export interface HelloInput {
  readonly bytes: Buffer;
  /** The server name of a valid hello. */
  readonly name: string | undefined;
  readonly wellFormed: boolean;
}

const names = [
  ...Array<string>(6).fill("allowed.test"),
  ...["allowed.test", "ALLOWED.test", "allowed.test.", "evil.test", "www.allowed.test"],
  ...["93.184.216.34", "[::1]", "a".repeat(255), "xn--mnchen-3ya.test", "localhost"],
];

/** With faults: a wrong length, two or odd names, records of other types. */
export function helloInput(random: Random, faults: boolean): HelloInput {
  const fault = faults ? random.below(12) : -1;
  const lie = (bytes: Buffer, size: 1 | 2): Buffer => {
    const wrong = faults && random.once(24);
    return prefixed(bytes, size, wrong ? random.below(40) - 20 : 0);
  };
  const name = random.once(8) ? undefined : random.pick(names);
  const entry = (text: string, kind = 0) =>
    Buffer.concat([Buffer.from([kind]), lie(Buffer.from(text, "latin1"), 2)]);
  const extension = (kind: number, content: Buffer) =>
    Buffer.concat([Buffer.from([kind >> 8, kind & 255]), lie(content, 2)]);
  const serverNames =
    name === undefined
      ? []
      : [extension(0, lie(Buffer.concat(entriesOf(fault, name, entry, random)), 2))];
  if (fault === 1 && name !== undefined) serverNames.push(extension(0, lie(entry("evil.test"), 2)));
  const others = Array.from({ length: random.below(5) }, (_, index) =>
    extension(0x2a2a + index * 0x1010, random.bytes(random.below(40))),
  );
  const protocols = ["h2", "http/1.1"].map((text) => lie(Buffer.from(text), 1));
  if (random.once(2)) others.push(extension(16, lie(Buffer.concat(protocols), 2)));
  const at = random.below(others.length + 1);
  const extensions = [...others.slice(0, at), ...serverNames, ...others.slice(at)];
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    random.bytes(32),
    lie(random.bytes(random.pick([0, 32])), 1),
    lie(random.bytes(2 * (1 + random.below(20))), 2),
    lie(Buffer.from([0]), 1),
    ...(extensions.length === 0 && random.once(2) ? [] : [lie(Buffer.concat(extensions), 2)]),
  ]);
  const length = body.length + (fault === 2 ? random.below(60) - 30 : 0);
  const message = Buffer.concat([
    Buffer.from([fault === 3 ? random.below(256) : 1, 0, (length >> 8) & 255, length & 255]),
    body,
  ]);
  return { bytes: records(message, random, fault), name, wellFormed: !faults };
}

function entriesOf(
  fault: number,
  name: string,
  entry: (text: string, kind?: number) => Buffer,
  random: Random,
): Buffer[] {
  if (fault === 4) return [entry(name), entry("evil.test")];
  if (fault === 5) return [entry(name, 1 + random.below(255))];
  if (fault === 6) return [entry(`${name}\0.evil.test`)];
  if (fault === 7) return [entry("")];
  return [entry(name)];
}

/** Splits a message into several records. */
function records(message: Buffer, random: Random, fault: number): Buffer {
  const most = random.pick([message.length, 1, 7, 100, 16_384]);
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += most) {
    const part = message.subarray(at, at + most);
    const kind = fault === 8 && random.once(3) ? random.below(256) : 22;
    parts.push(Buffer.from([kind, 3, 1]), prefixed(part, 2, 0));
    if (fault === 9 && random.once(4)) parts.push(Buffer.from([22, 3, 1, 0, 0]));
  }
  return Buffer.concat(parts);
}

function prefixed(bytes: Buffer, size: 1 | 2, error: number): Buffer {
  const most = size === 1 ? 255 : 65_535;
  const length = Buffer.alloc(size);
  length.writeUIntBE(Math.min(most, Math.max(0, bytes.length + error)), 0, size);
  return Buffer.concat([length, bytes]);
}
