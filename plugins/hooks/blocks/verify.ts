/** `verify "github" { … }`, `verify "hmac" { … }`: verifies the sender of a request. */
import { c } from "reeve/plugin";
import { usesToken } from "../decide/verify/jwt.js";
import { KINDS, type Kind, type KindName, type VerifyRule } from "../decide/verify/kinds.js";
import { plain, signedScope } from "./request.js";
import { tokenAttributes, tokenFaults } from "./token.js";

const names = Object.keys(KINDS) as [KindName, ...KindName[]];

export const verify = c.block({
  doc: "Verifies the sender of a request. Of several blocks, one suffices.",
  label: c
    .oneOf(...names)
    .doc(
      "The scheme. `hmac`: a header has an HMAC. `token`: a header has the secret. `mtls`: the client's certificate. `jwt`, `oidc`: a signed token.",
    ),
  max: 8,
  reload: "live",
  examples: [
    'verify "github" {\n  secret = secret("env:DEPLOY_SECRET")\n}',
    'verify "hmac" {\n  header = "X-Signature"\n  secret = secret("env:DEPLOY_SECRET")\n}',
    'verify "bearer" {\n  secret = [secret("env:NEW_TOKEN"), secret("env:OLD_TOKEN")]\n}',
  ],
  attrs: {
    secret: c
      .union(c.secret(), c.list(c.secret(), { minItems: 1, maxItems: 8 }))
      .optional()
      .doc(
        "The shared secret; a list during a rotation. Required except for `mtls`, `jwt` and `oidc`.",
      )
      .example('secret("env:DEPLOY_SECRET")'),
    header: c
      .string()
      .pattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "the name of a header")
      .optional()
      .doc(
        "For `hmac` and `token`: the header with the signature, or several separated by commas; or with the token. For `jwt` and `oidc`: the header with the token, if not `Authorization: Bearer`.",
      )
      .example('"X-Signature-256"'),
    algorithm: c
      .oneOf("sha1", "sha256", "sha512")
      .optional()
      .doc('For `hmac`: the hash the signature is made with. Left out: `"sha256"`.')
      .example('"sha512"'),
    prefix: c
      .string()
      .max(64)
      .optional()
      .doc(
        "For `hmac` and `token`: the required text before the signature or token. If absent, a signature may follow the algorithm's name and `=`.",
      )
      .example('"sha256="'),
    encoding: c
      .oneOf("hex", "base64")
      .optional()
      .doc('For `hmac`: how the signature is written. Left out: `"hex"`.')
      .example('"base64"'),
    signed: c
      .expr({ scope: signedScope, returns: plain })
      .optional()
      .doc("For `hmac`: the signed text. @default the body, byte for byte")
      .example('"${header["X-Timestamp"]}.${body}"'),
    timestamp: c
      .expr({ scope: signedScope, returns: plain })
      .optional()
      .doc(
        "For `hmac`: the time of the request: Unix seconds or milliseconds, RFC 3339, or an HTTP date. It must be part of the signed text.",
      )
      .example('header["X-Timestamp"]'),
    tolerance: c
      .duration()
      .min(1000)
      .max(86_400_000)
      .optional()
      .doc(
        "For schemes that sign a time: its tolerance, in both directions. @default `5m`, for tokens `1m`",
      )
      .example("1m"),
    user: c
      .string()
      .pattern("^[^:]+$", "a name without a colon")
      .optional()
      .doc("For `basic`: the user; the secret is the password.")
      .example('"ci"'),
    realm: c
      .string()
      .pattern("^[ !#-\\[\\]-~]+$", "plain text without quotes and backslashes")
      .optional()
      .doc('For `basic`: what people are asked to log in to. Left out: `"hooks"`.')
      .example('"deployments"'),
    subjects: c
      .list(c.string().min(1), { minItems: 1 })
      .optional()
      .doc("For `mtls`: common names of certificates that may call.")
      .example('["build-1"]'),
    names: c
      .list(c.string().min(1), { minItems: 1 })
      .optional()
      .doc("For `mtls`: alternative names (DNS, IP, e-mail or URI) of certificates that may call.")
      .example('["build.example.com"]'),
    fingerprints: c
      .list(c.string().pattern("^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$", "a SHA-256 fingerprint"), {
        minItems: 1,
      })
      .optional()
      .doc(
        "For `mtls`: SHA-256 fingerprints of certificates that may call, with or without colons.",
      )
      .example(`["${"9f".repeat(32)}"]`),
    ...tokenAttributes,
  },
  check: ({ label, values }, report) => {
    const kind: Kind | undefined = KINDS[label as KindName];
    if (!kind) return;
    const given = Object.keys(values).filter((name) => values[name] !== undefined) as Array<
      keyof VerifyRule
    >;
    for (const name of kind.needs) {
      if (given.includes(name)) continue;
      report(
        [],
        `\`verify "${label}"\` needs \`${name}\``,
        `add \`${name} = ${examples[name] ?? "…"}\``,
      );
    }
    const known = [...kind.needs, ...kind.takes];
    for (const name of given) {
      if (known.includes(name)) continue;
      report([name], `\`verify "${label}"\` has no \`${name}\``, `it takes ${shown(known)}`);
    }
    if (usesToken(label)) {
      for (const { at, message, help } of tokenFaults(label, values)) report(at, message, help);
    }
    if (label === "mtls" && given.length === 0) {
      report([], "this admits every certificate", "add `subjects`, `names` or `fingerprints`");
    }
    if (values.timestamp !== undefined && values.signed === undefined) {
      report(
        ["timestamp"],
        "a time that is not signed can be forged",
        'say what is signed: `signed = "${header["X-Timestamp"]}.${body}"`',
      );
    }
    if (label === "hmac" && values.tolerance !== undefined && values.timestamp === undefined) {
      report(["tolerance"], "this needs `timestamp`");
    }
  },
});

const examples: Partial<Record<keyof VerifyRule, string>> = {
  secret: 'secret("env:NAME")',
  header: '"X-Signature"',
  user: '"ci"',
  issuer: '"https://token.actions.githubusercontent.com"',
  audience: '"https://deploy.example.com"',
  require: 'claim.repository_id == "123456"',
};

const shown = (attributes: readonly string[]): string =>
  attributes.map((name) => `\`${name}\``).join(", ");
