/** Messages in protocol buffers, as far as numbers and bytes go. */

interface Fields {
  /** All values of a field that are bytes: texts and messages too. */
  bytes(field: number): readonly Uint8Array[];
  numbers(field: number): readonly number[];
}

/** @throws Error for what is no such message */
export function protobufFields(message: Uint8Array): Fields {
  const bytes = new Map<number, Uint8Array[]>();
  const numbers = new Map<number, number[]>();
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = message[at];
      if (byte === undefined) throw new Error("It ends too early.");
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error("A number is too long.");
  };
  while (at < message.length) {
    const tag = number();
    const field = Math.floor(tag / 8);
    const kind = tag % 8;
    if (kind === 0) numbers.set(field, [...(numbers.get(field) ?? []), number()]);
    else if (kind === 1 || kind === 5) at += kind === 1 ? 8 : 4;
    else if (kind === 2) {
      const length = number();
      if (at + length > message.length) throw new Error("It ends too early.");
      const list = bytes.get(field) ?? [];
      bytes.set(field, list);
      list.push(message.subarray(at, at + length));
      at += length;
    } else throw new Error(`Fields of kind ${kind} are not read.`);
  }
  return {
    bytes: (field) => bytes.get(field) ?? [],
    numbers: (field) => numbers.get(field) ?? [],
  };
}

export const decodeText = (bytes: Uint8Array | undefined): string =>
  new TextDecoder().decode(bytes);
