/** All verifiers in one table: their attributes and their functions. */

import { isFromDrone } from "./drone.js";
import type { Evidence } from "./evidence.js";
import { isFrom } from "./forges.js";
import type { HmacRule } from "./hmac.js";
import { isSigned } from "./hmac.js";
import { hasVerifiedToken, type JwtRule, usesToken } from "./jwt.js";
import { isFromTeams } from "./microsoft-teams.js";
import { isKnownClient, type MtlsRule } from "./mtls.js";
import { isFromPagerDuty } from "./pagerduty.js";
import { type BasicRule, hasToken, isBasic, isBearer } from "./shared-secret.js";
import { isFromSlack } from "./slack.js";
import { isFromGitLab, isStandardWebhook } from "./standard-webhooks.js";
import { isFromStripe } from "./stripe.js";

/** The attributes of `verify` for all kinds. */
export interface VerifyRule extends HmacRule, MtlsRule, BasicRule, JwtRule {
  readonly realm: string | undefined;
}

export interface Kind {
  /** Required attributes. */
  readonly needs: ReadonlyArray<keyof VerifyRule>;
  /** Optional attributes. */
  readonly takes: ReadonlyArray<keyof VerifyRule>;
  readonly holds: (rule: VerifyRule, evidence: Evidence) => boolean;
}

const signed = (holds: Kind["holds"]): Kind => ({ needs: ["secret"], takes: [], holds });
const timed = (holds: Kind["holds"]): Kind => ({ needs: ["secret"], takes: ["tolerance"], holds });

export const KINDS = {
  github: signed(isFrom("github")),
  gitlab: timed(isFromGitLab),
  bitbucket: signed(isFrom("bitbucket")),
  gitea: signed(isFrom("gitea")),
  forgejo: signed(isFrom("forgejo")),
  slack: timed(isFromSlack),
  stripe: timed(isFromStripe),
  shopify: signed(isFrom("shopify")),
  linear: signed(isFrom("linear")),
  sentry: signed(isFrom("sentry")),
  pagerduty: signed(isFromPagerDuty),
  microsoft_teams: signed(isFromTeams),
  drone: timed(isFromDrone),
  standard_webhooks: timed(isStandardWebhook),
  hmac: {
    needs: ["secret", "header"],
    takes: ["algorithm", "prefix", "encoding", "signed", "timestamp", "tolerance"],
    holds: isSigned,
  },
  token: { needs: ["secret", "header"], takes: ["prefix"], holds: hasToken },
  bearer: signed(isBearer),
  basic: { needs: ["secret", "user"], takes: ["realm"], holds: isBasic },
  jwt: {
    needs: ["issuer", "audience"],
    takes: ["secret", "keys", "algorithms", "header", "require", "tolerance"],
    holds: hasVerifiedToken,
  },
  oidc: {
    needs: ["issuer", "audience", "require"],
    takes: ["algorithms", "header", "tolerance"],
    holds: hasVerifiedToken,
  },
  mtls: { needs: [], takes: ["subjects", "names", "fingerprints"], holds: isKnownClient },
} as const satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof KINDS;

/** The challenge of a 401 response (RFC 9110 §11.6.1). */
export function challengeOf(kind: string, { realm }: Pick<VerifyRule, "realm">): string {
  if (kind === "basic") return `Basic realm="${realm ?? "hooks"}", charset="UTF-8"`;
  if (kind === "bearer" || usesToken(kind)) return "Bearer";
  return kind === "token" ? "Token" : "HMAC";
}
