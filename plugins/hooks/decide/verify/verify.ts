/** Verifies the sender of a request. */
import type { VerifyBlock } from "../../blocks/blocks.js";
import type { Incoming } from "../incoming.js";
import { queryOf } from "../incoming.js";
import { type Refusal, refuse } from "../refusal.js";
import type { Evidence } from "./evidence.js";
import { challengeOf, KINDS, type VerifyRule } from "./kinds.js";

/** One refusal for a missing and for a wrong credential. One valid block suffices. */
export function proofRefusal(
  request: Incoming,
  blocks: readonly VerifyBlock[],
): Refusal | undefined {
  if (blocks.length === 0) return undefined;
  const evidence = new RequestEvidence(request);
  let holds = false;
  for (const { label, values } of blocks) {
    holds = KINDS[kindOf(label)].holds(values as VerifyRule, evidence) || holds;
  }
  if (holds) return undefined;
  const { tokens } = request;
  if (tokens?.unavailable) {
    return refuse("keys_unavailable", "The keys of the token's issuer are not available.", {
      headers: { "retry-after": "30" },
      cause: tokens.problems.join("; "),
    });
  }
  const challenges = new Set(
    blocks
      .filter(({ label }) => label !== "mtls")
      .map(({ label, values }) => challengeOf(kindOf(label), values)),
  );
  return refuse("bad_signature", "The signature or credential is missing or invalid.", {
    ...(challenges.size === 0
      ? {}
      : { headers: { "www-authenticate": [...challenges].join(", ") } }),
    ...(tokens === undefined || tokens.problems.length === 0
      ? {}
      : { cause: tokens.problems.join("; ") }),
  });
}

/** The language checks the label. */
const kindOf = (label: string | undefined): keyof typeof KINDS => label as keyof typeof KINDS;

/** Rare parts are created on first use. A class: getters of an object's own would retain the request. */
class RequestEvidence implements Evidence {
  readonly #request: Incoming;
  readonly method: string;
  readonly headers: Incoming["headers"];
  readonly body: Uint8Array;
  readonly now: number;
  readonly path: Readonly<Record<string, string>>;
  readonly certificate: Incoming["certificate"];
  readonly tokens: Incoming["tokens"];

  constructor(request: Incoming) {
    this.#request = request;
    this.method = request.method;
    this.headers = request.headers;
    this.body = request.body;
    this.now = request.now;
    this.path = request.path ?? {};
    this.certificate = request.certificate;
    this.tokens = request.tokens;
  }

  get query(): Readonly<Record<string, string>> {
    return queryOf(this.#request.query);
  }
}
