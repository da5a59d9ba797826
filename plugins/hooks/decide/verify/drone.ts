/** Drone's webhooks: an HTTP signature (draft-cavage-http-signatures) over `Date` and `Digest`. */
import { hash } from "node:crypto";
import { isSignedBy, signaturesIn, textKeys } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";
import { FIVE_MINUTES } from "./hmac.js";
import type { TimedRule } from "./slack.js";
import { isRecent } from "./timestamp.js";

export function isFromDrone(rule: TimedRule, { headers, body, now }: Evidence): boolean {
  const parameters = parametersIn(headerOf("signature", headers) ?? "");
  const date = headerOf("date", headers);
  const digest = headerOf("digest", headers);
  if (!parameters || date === undefined || digest === undefined) return false;
  if (parameters.algorithm !== "hmac-sha256") return false;
  if (!isRecent(date, now, rule.tolerance ?? FIVE_MINUTES)) return false;
  if (digest !== `SHA-256=${hash("sha256", body, "base64")}`) return false;
  const names = (parameters.headers ?? "").split(" ");
  if (!names.includes("date") || !names.includes("digest")) return false;
  const lines = names.map((name) => `${name}: ${headerOf(name, headers) ?? ""}`);
  const candidates = signaturesIn(parameters.signature ?? "", ",", "", "base64");
  return isSignedBy(textKeys(rule.secret), "sha256", [lines.join("\n")], candidates);
}

/** `undefined` for another syntax, or a name that repeats. */
function parametersIn(written: string): Readonly<Record<string, string>> | undefined {
  if (!/^\w+="[^"]*"(, *\w+="[^"]*")*$/.test(written)) return undefined;
  const pairs = [...written.matchAll(/(\w+)="([^"]*)"/g)];
  const parameters = Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value]));
  return Object.keys(parameters).length === pairs.length ? parameters : undefined;
}
