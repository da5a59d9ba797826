/** What a registry of Hex signs: a payload, and its signature by RSA over SHA-512. */
import { createPublicKey, verify } from "node:crypto";
import { protobufFields } from "./protobuf.js";

/** The public registry's, which every Hex is built with. */
export const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApqREcFDt5vV21JVe2QNB
Edvzk6w36aNFhVGWN5toNJRjRJ6m4hIuG4KaXtDWVLjnvct6MYMfqhC79HAGwyF+
IqR6Q6a5bbFSsImgBJwz1oadoVKD6ZNetAuCIK84cjMrEFRkELtEIPNHblCzUkkM
3rS9+DPlnfG8hBvGi6tvQIuZmXGCxF/73hU0/MyGhbmEjIKRtG6b0sJYKelRLTPW
XgK7s5pESgiwf2YC/2MGDXjAJfpfCd0RpLdvd4eRiXtVlE9qO9bND94E7PgQ/xqZ
J1i2xWFndWa6nfFnRxZmCStCOZWYYPlaxr+FZceFbpMwzTNs4g3d4tLNUcbKAIH4
0wIDAQAB
-----END PUBLIC KEY-----
`;

/** Without a key the registry's certificate has to do. @throws Error for what the key did not sign */
export function payloadOf(message: Uint8Array, key: string | undefined): Uint8Array {
  const signed = protobufFields(message);
  const payload = signed.bytes(1)[0] ?? new Uint8Array();
  const signature = signed.bytes(2)[0] ?? new Uint8Array();
  if (key !== undefined && !verify("sha512", payload, createPublicKey(key), signature))
    throw new Error("it is not signed by the registry");
  return payload;
}
