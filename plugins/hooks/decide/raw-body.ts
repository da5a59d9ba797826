/** The bytes of a body, as expressions for a command's input and files see them. Pure. */

/** Where it stands alone it is the bytes; within something else it is its size and its text in Base64. */
export interface RawBody {
  /** Bytes. */
  readonly size: number;
  readonly base64: string;
}

const BYTES = Symbol("bytes");

/** Encodes nothing until somebody asks. */
export function rawBody(bytes: Uint8Array): RawBody {
  const body = Object.defineProperties({ size: bytes.length } as Held, PROPERTIES);
  return Object.defineProperty(body, BYTES, { value: bytes });
}

type Held = RawBody & { readonly [BYTES]: Uint8Array };

/** The same for all: functions of each one's own would have the engine keep all that they see. */
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

/** Nothing where it is another value. */
export const bytesOf = (value: unknown): Uint8Array | undefined =>
  typeof value === "object" && value !== null && BYTES in value
    ? (value[BYTES] as Uint8Array)
    : undefined;
