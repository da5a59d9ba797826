/** Slack's requests: `v0=` and the HMAC-SHA256 of version, time and body. */
import { isSignedBy, type Secrets, signaturesIn, textKeys } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";
import { FIVE_MINUTES } from "./hmac.js";
import { isRecent } from "./timestamp.js";

export interface TimedRule {
  readonly secret: Secrets | undefined;
  /** Milliseconds. */
  readonly tolerance: number | undefined;
}

export function isFromSlack(rule: TimedRule, { headers, body, now }: Evidence): boolean {
  const time = headerOf("x-slack-request-timestamp", headers);
  const written = headerOf("x-slack-signature", headers);
  if (time === undefined || written === undefined) return false;
  if (!isRecent(time, now, rule.tolerance ?? FIVE_MINUTES)) return false;
  const candidates = signaturesIn(written, ",", "v0=", "hex");
  return isSignedBy(textKeys(rule.secret), "sha256", [`v0:${time}:`, body], candidates);
}
