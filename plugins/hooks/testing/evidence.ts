/** What proofs look at, written briefly. */
import type { Evidence } from "../decide/verify/evidence.js";

export const evidence = ({
  body = "",
  ...rest
}: Partial<Omit<Evidence, "body">> & { readonly body?: string | Uint8Array }): Evidence => ({
  method: "POST",
  headers: {},
  query: {},
  path: {},
  now: 0,
  ...rest,
  body: typeof body === "string" ? Buffer.from(body) : body,
});

export const secretOf = (text: string) => ({
  resolved: true,
  reveal: () => text,
  equals: (candidate: string | Uint8Array) => Buffer.from(candidate).equals(Buffer.from(text)),
  toString: () => "(secret)" as const,
  toJSON: () => "(secret)" as const,
});
