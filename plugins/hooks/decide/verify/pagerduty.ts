/** PagerDuty's webhooks, version 3: `X-PagerDuty-Signature: v1=…,v1=…`, one for each secret in use. */
import { isSignedBy, type Secrets, signaturesIn, textKeys } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";

export function isFromPagerDuty(
  { secret }: { readonly secret: Secrets | undefined },
  { headers, body }: Evidence,
): boolean {
  const written = headerOf("x-pagerduty-signature", headers) ?? "";
  const candidates = signaturesIn(written, ",", "v1=", "hex");
  return isSignedBy(textKeys(secret), "sha256", [body], candidates);
}
