/** Senders that sign the body with HMAC-SHA256: forges, Linear and Sentry in hexadecimal, Shopify in Base64. */
import { type Encoding, isSignedBy, type Secrets, signaturesIn, textKeys } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";

interface Form {
  /** The first present one counts. */
  readonly headers: readonly string[];
  /** The required text before the signature. */
  readonly prefix: string;
  readonly encoding: Encoding;
}

const FORMS = {
  github: { headers: ["x-hub-signature-256"], prefix: "sha256=", encoding: "hex" },
  bitbucket: { headers: ["x-hub-signature"], prefix: "sha256=", encoding: "hex" },
  gitea: { headers: ["x-gitea-signature"], prefix: "", encoding: "hex" },
  forgejo: { headers: ["x-forgejo-signature", "x-gitea-signature"], prefix: "", encoding: "hex" },
  shopify: { headers: ["x-shopify-hmac-sha256"], prefix: "", encoding: "base64" },
  linear: { headers: ["linear-signature"], prefix: "", encoding: "hex" },
  sentry: { headers: ["sentry-hook-signature"], prefix: "", encoding: "hex" },
} as const satisfies Readonly<Record<string, Form>>;

export type Forge = keyof typeof FORMS;

export const isFrom =
  (forge: Forge) =>
  (rule: { readonly secret: Secrets | undefined }, { headers, body }: Evidence): boolean => {
    const form: Form = FORMS[forge];
    const written = form.headers.map((name) => headerOf(name, headers)).find(Boolean);
    if (written === undefined || written.includes(",")) return false;
    const candidates = signaturesIn(written, ",", form.prefix, form.encoding);
    return isSignedBy(textKeys(rule.secret), "sha256", [body], candidates);
  };
