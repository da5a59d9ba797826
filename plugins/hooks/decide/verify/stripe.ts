/** Stripe's requests: `t=…,v1=…`, where each `v1` is the HMAC-SHA256 of time and body under one of the keys in use. */
import { isSignedBy, signaturesIn, textKeys } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";
import { FIVE_MINUTES } from "./hmac.js";
import type { TimedRule } from "./slack.js";
import { isRecent } from "./timestamp.js";

export function isFromStripe(rule: TimedRule, { headers, body, now }: Evidence): boolean {
  const written = headerOf("stripe-signature", headers);
  const times = [...(written ?? "").matchAll(/(?:^|,)\s*t=(\d{1,12})(?=\s*(?:,|$))/g)];
  const time = times.length === 1 ? times[0]?.[1] : undefined;
  if (written === undefined || time === undefined) return false;
  if (!isRecent(time, now, rule.tolerance ?? FIVE_MINUTES)) return false;
  const candidates = signaturesIn(written, ",", "v1=", "hex");
  return isSignedBy(textKeys(rule.secret), "sha256", [`${time}.`, body], candidates);
}
