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
  const base64 = (): string => Buffer.from(bytes).toString("base64");
  return Object.defineProperties({ size: bytes.length } as RawBody, {
    base64: { get: base64 },
    toJSON: { value: () => ({ size: bytes.length, base64: base64() }) },
    [BYTES]: { value: bytes },
  });
}

/** Nothing where it is another value. */
export const bytesOf = (value: unknown): Uint8Array | undefined =>
  typeof value === "object" && value !== null && BYTES in value
    ? (value[BYTES] as Uint8Array)
    : undefined;
