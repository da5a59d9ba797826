/** The bytes of a body for expressions of a command's input and files. Pure. */

/** Alone it is the bytes; within another value it is its size and its Base64 text. */
export interface RawBody {
  /** Bytes. */
  readonly size: number;
  readonly base64: string;
}

const BYTES = Symbol("bytes");

/** Encodes on first use. */
export function rawBody(bytes: Uint8Array): RawBody {
  const body = Object.defineProperties({ size: bytes.length } as Held, PROPERTIES);
  return Object.defineProperty(body, BYTES, { value: bytes });
}

type Held = RawBody & { readonly [BYTES]: Uint8Array };

/** Shared: closures of each object's own would retain their scope. */
const PROPERTIES: PropertyDescriptorMap & ThisType<Held> = {
  base64: {
    get() {
      return textOf(this[BYTES]);
    },
  },
  toJSON: {
    value() {
      return { size: this.size, base64: this.base64 };
    },
  },
};

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

/** `undefined` for another value. */
export const bytesOf = (value: unknown): Uint8Array | undefined =>
  typeof value === "object" && value !== null && BYTES in value
    ? (value[BYTES] as Uint8Array)
    : undefined;
