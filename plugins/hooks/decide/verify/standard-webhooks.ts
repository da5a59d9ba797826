/** Standard Webhooks 1.0 (standardwebhooks.com), which GitLab's signing tokens, Svix and others follow. */
import { isOneOf, isSignedBy, type Key, listed, type Secrets, signaturesIn } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";
import { FIVE_MINUTES } from "./hmac.js";
import type { TimedRule } from "./slack.js";
import { isRecent } from "./timestamp.js";

/** Named by the standard or by Svix, never mixed. */
export function isStandardWebhook(rule: TimedRule, evidence: Evidence): boolean {
  const keys = listed(rule.secret).map((secret) => standardKey(secret.reveal()));
  return ["webhook", "svix"].some((family) => isSignedAs(family, keys, rule, evidence));
}

function isSignedAs(
  family: string,
  keys: readonly Key[],
  { tolerance = FIVE_MINUTES }: TimedRule,
  { headers, body, now }: Evidence,
): boolean {
  const id = headerOf(`${family}-id`, headers);
  const time = headerOf(`${family}-timestamp`, headers);
  const written = headerOf(`${family}-signature`, headers);
  if (id === undefined || time === undefined || written === undefined) return false;
  if (!isRecent(time, now, tolerance)) return false;
  const candidates = signaturesIn(written, " ", "v1,", "base64");
  return isSignedBy(keys, "sha256", [`${id}.${time}.`, body], candidates);
}

const PREFIX = "whsec_";

/** A key after `whsec_` is Base64; a key without it is used as text. */
function standardKey(secret: string): Key {
  if (secret.startsWith(PREFIX)) return Buffer.from(secret.slice(PREFIX.length), "base64");
  return /^[A-Za-z0-9+/]{32,}={0,2}$/.test(secret) && secret.length % 4 === 0
    ? Buffer.from(secret, "base64")
    : secret;
}

/** GitLab sends the secret token itself, or signs with a signing token, which begins with `whsec_`. */
export function isFromGitLab(rule: TimedRule, evidence: Evidence): boolean {
  const token = headerOf("x-gitlab-token", evidence.headers);
  const signing = (secret: Secrets): boolean =>
    listed(secret).some((each) => each.reveal().startsWith(PREFIX));
  let holds = false;
  for (const secret of listed(rule.secret)) {
    const proved = signing(secret)
      ? isStandardWebhook({ ...rule, secret }, evidence)
      : token !== undefined && isOneOf(secret, token);
    holds = proved || holds;
  }
  return holds;
}
