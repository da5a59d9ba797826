/**
 * Arguments and environment as a new program wants them: two lists of addresses, each with a zero at its end, and what
 * they point to, all in one piece of memory. The bytes go over as they are; there is nothing to quote.
 */
const address = 8;
/** Below this size, V8 keeps bytes where its collector may move them. */
const smallest = 4096;

export interface Block {
  readonly bytes: Buffer;
  /** Where the two lists begin. */
  readonly argv: number;
  readonly envp: number;
  /** Writes the addresses, once it is known that the block lies `at`. */
  locate(at: bigint): void;
}

/** @throws with the code `ERR_INVALID_ARG_VALUE` where a text contains a zero byte, which would end it early. */
export function blockOf(args: readonly string[], env: Readonly<Record<string, string>>): Block {
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const all = `${[...args, ...pairs].join("\0")}\0`;
  const count = args.length + pairs.length;
  const text = (count + 2) * address;
  const bytes = Buffer.allocUnsafeSlow(Math.max(smallest, text + Buffer.byteLength(all)));
  bytes.write(all, text);
  const envp = (args.length + 1) * address;
  return {
    bytes,
    argv: 0,
    envp,
    locate(at) {
      let begin = text;
      for (let index = 0; index < count; index += 1) {
        const slot = index < args.length ? index : index + 1;
        bytes.writeBigUInt64LE(at + BigInt(begin), slot * address);
        begin = bytes.indexOf(0, begin) + 1;
      }
      bytes.writeBigUInt64LE(0n, args.length * address);
      bytes.writeBigUInt64LE(0n, (count + 1) * address);
    },
  };
}
