/** Verifies webhook signatures; each kind of host has its own scheme. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { HostKind } from "../../model.js";

export function isSignedDelivery(
  kind: HostKind,
  secret: string,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Uint8Array },
): boolean {
  const said = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  if (secret === "") return false;
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  switch (kind) {
    case "github":
      return isSame(said("x-hub-signature-256"), `sha256=${digest}`);
    case "gitea":
      return isSame(said("x-forgejo-signature") ?? said("x-gitea-signature"), digest);
    case "gitlab":
      return isSame(said("x-gitlab-token"), secret);
    default:
      return false;
  }
}

/** Constant-time comparison. */
function isSame(given: string | undefined, wanted: string): boolean {
  if (given === undefined) return false;
  const [one, other] = [given, wanted].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
