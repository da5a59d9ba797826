/** Evaluates one `match` of a rule. */
import type { MatchOptions, RuleMatch } from "../hook.js";
import type { FileRequest, WriteNote } from "../request/file-request.js";
import { type RetrieveProblem, retrieve } from "../request/retrieve.js";
import { isInRange, rangesOf } from "./addresses.js";
import { patternOf } from "./pattern.js";
import {
  isSigned,
  type SignatureAlgorithm,
  sameText,
  scalrProblem,
  signaturesIn,
} from "./signature.js";

export interface MatchVerdict {
  readonly holds: boolean;
  readonly problem?: RetrieveProblem;
}

/** The inputs of a rule besides the request. */
export interface MatchContext extends MatchOptions {
  readonly softSignatures: boolean;
  readonly note?: WriteNote;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The sender is trusted: all signatures hold. */
  readonly isTrusted?: boolean;
  /** A cache of verdicts. */
  readonly verdicts?: Map<RuleMatch, MatchVerdict>;
}

export const matchTypes: readonly string[] = [
  "value",
  "regex",
  "payload-hmac-sha1",
  "payload-hmac-sha256",
  "payload-hmac-sha512",
  "payload-hash-sha1",
  "payload-hash-sha256",
  "payload-hash-sha512",
  "ip-whitelist",
  "scalr-signature",
];

export function judgeMatch(
  match: RuleMatch,
  request: FileRequest,
  bench: MatchContext,
): MatchVerdict {
  const known = bench.verdicts?.get(match);
  if (known) return known;
  const verdict =
    bench.isTrusted && /^payload-h|^scalr/.test(match.type)
      ? { holds: true }
      : judged(match, request, bench);
  bench.verdicts?.set(match, verdict);
  return verdict;
}

function judged(match: RuleMatch, request: FileRequest, bench: MatchContext): MatchVerdict {
  if (match.type === "ip-whitelist") return whitelisted(match, request);
  if (match.type === "scalr-signature") return scalr(match, request, bench.now);
  const isKnown = matchTypes.includes(match.type);
  if (!isKnown && bench.strict) return { holds: false };
  const value = retrieve(match.parameter, request);
  if (!value.ok) return { holds: false, problem: usual(value.problem, bench) };
  if (!isKnown) return { holds: false };
  if (match.type === "value") return { holds: sameText(match.value, value.text) };
  if (match.type === "regex") return patternHolds(match.regex, value.text);
  const algorithm = /^payload-hash-(.*)/.exec(match.type)?.[1];
  if (algorithm !== undefined) {
    const use = `use payload-hmac-${algorithm} instead`;
    bench.note?.(`warn: use of deprecated option ${match.type}; ${use}`, "server");
  }
  return signed(match, request, value.text);
}

/** A path into `null` counts as missing. */
const usual = (problem: RetrieveProblem, { strict }: MatchContext): RetrieveProblem =>
  strict && problem.kind === "nothing" ? { ...problem, kind: "missing" } : problem;

const failed = (message: string, kind: RetrieveProblem["kind"] = "other"): MatchVerdict => ({
  holds: false,
  problem: { kind, message },
});

function patternHolds(source: string, text: string): MatchVerdict {
  const pattern = patternOf(source);
  if (typeof pattern === "string") return failed(pattern);
  return { holds: pattern.matcher(text).find() };
}

function signed({ type, secret }: RuleMatch, { body }: FileRequest, written: string): MatchVerdict {
  if (secret === "") return failed("signature validation secret can not be empty");
  const algorithm = type.slice(type.lastIndexOf("-") + 1) as SignatureAlgorithm;
  const signatures = signaturesIn(written, algorithm);
  if (isSigned(body, secret, algorithm, signatures)) return { holds: true };
  const empty = body.length === 0 ? " on empty payload" : "";
  return failed(`invalid payload signatures [${signatures.join(" ")}]${empty}`, "signature");
}

function whitelisted({ range }: RuleMatch, { remoteAddress }: FileRequest): MatchVerdict {
  const ranges = rangesOf(range);
  if (typeof ranges === "string") return failed(`invalid CIDR address: ${ranges}`);
  const within = isInRange(remoteAddress, ranges);
  return within === undefined
    ? failed(`invalid IP address found in remote address '${remoteAddress}'`)
    : { holds: within };
}

function scalr({ secret }: RuleMatch, request: FileRequest, now: number): MatchVerdict {
  if (secret === "") return failed("signature validation secret can not be empty");
  const problem = scalrProblem(request, secret, now);
  if (problem === undefined) return { holds: false };
  if (problem === false) return { holds: true };
  return failed(problem, problem.startsWith("invalid payload") ? "signature" : "other");
}
