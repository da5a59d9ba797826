/** Outgoing webhooks of Microsoft Teams: `Authorization: HMAC …`, the HMAC-SHA256 of the body in Base64. */
import { isSignedBy, listed, type Secrets, signaturesIn } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";

/** The security token is Base64; its bytes are the key. */
export function isFromTeams(
  { secret }: { readonly secret: Secrets | undefined },
  { headers, body }: Evidence,
): boolean {
  const [, written = ""] = /^HMAC +(\S+)$/i.exec(headerOf("authorization", headers) ?? "") ?? [];
  const keys = listed(secret)
    .map((each) => Buffer.from(each.reveal(), "base64"))
    .filter((key) => key.length > 0);
  return isSignedBy(keys, "sha256", [body], signaturesIn(written, ",", "", "base64"));
}
