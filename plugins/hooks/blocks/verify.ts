/** `verify "hmac" { … }`, `verify "token" { … }`: proof that whoever sent a request knows a secret. */
import { c } from "reeve/plugin";

export const verify = c.block({
  doc: "Proof that a request was sent by somebody who knows a secret. With several blocks, one that holds is enough: so a secret is changed without a gap.",
  label: c
    .oneOf("hmac", "token")
    .doc("`hmac`: a header has a keyed hash of the body. `token`: a header has the secret itself."),
  max: 8,
  reload: "live",
  examples: [
    'verify "hmac" {\n  header = "X-Hub-Signature-256"\n  secret = secret("env:DEPLOY_SECRET")\n}',
    'verify "token" {\n  header = "X-Gitlab-Token"\n  secret = secret("env:GITLAB_TOKEN")\n}',
  ],
  attrs: {
    secret: c.secret().doc("The key that both sides know.").example('secret("env:DEPLOY_SECRET")'),
    header: c
      .string()
      .pattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "the name of a header")
      .doc("The header with the signature, or several separated by commas; or with the token.")
      .example('"X-Hub-Signature-256"'),
    algorithm: c
      .oneOf("sha1", "sha256", "sha512")
      .default('"sha256"')
      .doc("For `hmac`: the hash the signature is made with."),
    prefix: c
      .string()
      .max(64)
      .optional()
      .doc(
        "What stands before the signature or token and must be there. Where it is left out, the algorithm's name with `=` may stand before a signature.",
      )
      .example('"sha256="'),
    encoding: c
      .oneOf("hex", "base64")
      .default('"hex"')
      .doc("For `hmac`: how the signature is written."),
  },
});
