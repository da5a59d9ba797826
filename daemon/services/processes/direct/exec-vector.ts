/**
 * Arguments and environment as a new program wants them: two lists of addresses, each with a zero at its end, and the
 * texts that they point to. The bytes go over as they are; there is nothing to quote.
 */
import type { Environment } from "../environment.js";

const address = 8;

/** Memory that stays where it is, and where that is. */
export interface PinnedMemory {
  readonly bytes: Buffer;
  readonly at: bigint;
}

/** At least `length` bytes that no collector moves. */
export type Reserve = (length: number) => PinnedMemory;

export interface ExecVector {
  /** Where the two lists are. */
  readonly argv: bigint;
  readonly envp: bigint;
  /** What must be held as long as they are looked at. */
  readonly held: readonly PinnedMemory[];
}

/** What many commands inherit alike, laid out once. */
interface Inherited {
  readonly memory: PinnedMemory;
  /** The list of addresses that begins it, without a zero. */
  readonly list: Uint8Array;
}

export class ExecVectors {
  readonly #reserve: Reserve;
  readonly #inherited = new WeakMap<Environment["inherited"], Inherited>();

  constructor(reserve: Reserve) {
    this.#reserve = reserve;
  }

  /** In `room`, or elsewhere where that is too small. Its texts must not contain a zero byte, which would end them early. */
  lay(args: readonly string[], env: Environment, room: PinnedMemory): ExecVector {
    const inherited = env.overrides ? undefined : this.#inheritedBy(env);
    const added = pairs(inherited ? env.added : env.all());
    const texts = [...args, ...added];
    const known = inherited?.list.length ?? 0;
    const lists = (texts.length + 2) * address + known;
    const all = `${texts.join("\0")}\0`;
    // In UTF-8 a unit of a string takes three bytes at most.
    const most = lists + all.length * 3;
    const memory = most <= room.bytes.length ? room : this.#reserve(most);
    const { bytes, at } = memory;
    bytes.write(all, lists);
    const envp = (args.length + 1) * address;
    if (inherited) bytes.set(inherited.list, envp);
    let begin = lists;
    for (let index = 0; index < texts.length; index += 1) {
      const slot = index * address + (index < args.length ? 0 : address + known);
      bytes.writeBigUInt64LE(at + BigInt(begin), slot);
      begin = bytes.indexOf(0, begin) + 1;
    }
    bytes.writeBigUInt64LE(0n, args.length * address);
    bytes.writeBigUInt64LE(0n, lists - address);
    const held = inherited ? [memory, inherited.memory] : [memory];
    return { argv: at, envp: at + BigInt(envp), held };
  }

  #inheritedBy({ inherited }: Environment): Inherited {
    let known = this.#inherited.get(inherited);
    if (!known) {
      known = this.#layInherited(pairs(inherited));
      this.#inherited.set(inherited, known);
    }
    return known;
  }

  #layInherited(texts: readonly string[]): Inherited {
    const all = Buffer.from(texts.map((text) => `${text}\0`).join(""));
    const memory = this.#reserve(Math.max(1, all.length));
    all.copy(memory.bytes);
    const list = Buffer.alloc(texts.length * address);
    let begin = 0;
    for (const [index] of texts.entries()) {
      list.writeBigUInt64LE(memory.at + BigInt(begin), index * address);
      begin = all.indexOf(0, begin) + 1;
    }
    return { memory, list };
  }
}

const pairs = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(values).map((name) => `${name}=${values[name]}`);
