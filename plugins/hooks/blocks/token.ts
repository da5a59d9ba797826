/** The attributes of `verify "jwt"` and `verify "oidc"`, and their checks. */
import { c } from "reeve/plugin";
import { isIssuer } from "../decide/verify/issuer.js";
import { ASYMMETRIC, type JwtRule, SYMMETRIC } from "../decide/verify/jwt.js";
import { publicKeysIn } from "../decide/verify/public-keys.js";
import { claimScope } from "./request.js";

export const tokenAttributes = {
  issuer: c
    .string()
    .min(1)
    .optional()
    .doc("For `jwt` and `oidc`: the issuer, as in the token's `iss`. For `oidc` its address.")
    .example('"https://token.actions.githubusercontent.com"'),
  audience: c
    .union(c.string().min(1), c.list(c.string().min(1), { minItems: 1 }))
    .optional()
    .doc("For `jwt` and `oidc`: the audience that the token's `aud` names; of a list, one.")
    .example('"https://deploy.example.com"'),
  algorithms: c
    .list(c.oneOf(...SYMMETRIC, ...ASYMMETRIC), { minItems: 1 })
    .optional()
    .doc(
      'For `jwt` and `oidc`: the accepted algorithms. Left out: `["HS256"]` with a secret, otherwise `["RS256", "ES256", "EdDSA"]`.',
    )
    .example('["ES256"]'),
  keys: c
    .string()
    .optional()
    .doc("For `jwt`: the public keys, as a JSON Web Key Set or PEM, if there is no secret.")
    .example('file("keys.json")'),
  require: c
    .expr({ scope: claimScope, returns: c.boolean() })
    .optional()
    .doc(
      "For `jwt` and `oidc`: what the token's claims must satisfy. A missing claim never satisfies it.",
    )
    .example('claim.repository_id == "123456"'),
} as const;

interface TokenFault {
  readonly at: readonly string[];
  readonly message: string;
  readonly help?: string;
}

export function tokenFaults(
  kind: string | undefined,
  { secret, keys, issuer, algorithms }: Partial<JwtRule>,
): readonly TokenFault[] {
  const faults: TokenFault[] = [];
  const isSymmetric = kind === "jwt" && secret !== undefined;
  if (kind === "jwt" && (secret === undefined) === (keys === undefined)) {
    faults.push({
      at: keys === undefined ? [] : ["keys"],
      message:
        keys === undefined
          ? '`verify "jwt"` needs `keys` or `secret`'
          : "`keys` and `secret` exclude each other",
      help: 'give it the issuer\'s public keys: `keys = file("keys.json")`',
    });
  }
  if (kind === "oidc" && issuer !== undefined && (!isIssuer(issuer) || issuer.includes("?"))) {
    faults.push({
      at: ["issuer"],
      message: "the issuer is not an `https` address without query",
      help: "its keys are found below this address",
    });
  }
  const problem = keys === undefined ? undefined : publicKeysIn(keys);
  if (typeof problem === "string") faults.push({ at: ["keys"], message: problem });
  for (const [index, name] of (algorithms ?? []).entries()) {
    if ((SYMMETRIC as readonly string[]).includes(name) === isSymmetric) continue;
    faults.push({
      at: ["algorithms", String(index)],
      message: isSymmetric
        ? `\`${name}\` needs public keys, not a secret`
        : `\`${name}\` needs a secret, not public keys`,
    });
  }
  return faults;
}
