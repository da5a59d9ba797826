/** One `match` of a rule. */
import type { Match, MatchOptions } from "../hook.js";
import type { FileRequest } from "../request/request.js";
import { type RetrieveProblem, retrieve } from "../request/retrieve.js";
import { isWithin, rangesOf } from "./addresses.js";
import { patternOf } from "./pattern.js";
import { type Algorithm, isSigned, sameText, scalrProblem, signaturesIn } from "./signature.js";

export interface Verdict {
  readonly holds: boolean;
  readonly trouble?: RetrieveProblem;
}

/** What a rule is judged with besides the request. */
export interface MatchContext extends MatchOptions {
  readonly softSignatures: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Who sent it is known already: signatures hold, whatever they are. */
  readonly isTrusted?: boolean;
  /** Verdicts that were come to; asked before another is. */
  readonly verdicts?: Map<Match, Verdict>;
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

export function judgeMatch(match: Match, request: FileRequest, bench: MatchContext): Verdict {
  const known = bench.verdicts?.get(match);
  if (known) return known;
  const verdict =
    bench.isTrusted && /^payload-h|^scalr/.test(match.type)
      ? { holds: true }
      : judged(match, request, bench);
  bench.verdicts?.set(match, verdict);
  return verdict;
}

function judged(match: Match, request: FileRequest, bench: MatchContext): Verdict {
  if (match.type === "ip-whitelist") return whitelisted(match, request);
  if (match.type === "scalr-signature") return scalr(match, request, bench.now);
  if (!matchTypes.includes(match.type)) return { holds: false };
  const value = retrieve(match.parameter, request);
  if (!value.ok) return { holds: false, trouble: usual(value.trouble, bench) };
  if (match.type === "value") return { holds: sameText(match.value, value.text) };
  if (match.type === "regex") return patternHolds(match.regex, value.text);
  return signed(match, request, value.text);
}

/** What leads into `null` is not there either. */
const usual = (trouble: RetrieveProblem, { strict }: MatchContext): RetrieveProblem =>
  strict && trouble.kind === "nothing" ? { ...trouble, kind: "missing" } : trouble;

const failed = (message: string, kind: RetrieveProblem["kind"] = "other"): Verdict => ({
  holds: false,
  trouble: { kind, message },
});

function patternHolds(source: string, text: string): Verdict {
  const pattern = patternOf(source);
  if (!pattern) return failed("error parsing regexp: it is not RE2 syntax");
  return { holds: pattern.matcher(text).find() };
}

function signed({ type, secret }: Match, { body }: FileRequest, written: string): Verdict {
  if (secret === "") return failed("signature validation secret can not be empty");
  const algorithm = type.slice(type.lastIndexOf("-") + 1) as Algorithm;
  const signatures = signaturesIn(written, algorithm);
  if (isSigned(body, secret, algorithm, signatures)) return { holds: true };
  const empty = body.length === 0 ? " on empty payload" : "";
  return failed(`invalid payload signatures [${signatures.join(" ")}]${empty}`, "signature");
}

function whitelisted({ range }: Match, { remoteAddress }: FileRequest): Verdict {
  const ranges = rangesOf(range);
  if (!ranges) return failed(`invalid CIDR address in ip-range: ${range}`);
  const within = isWithin(remoteAddress, ranges);
  return within === undefined
    ? failed(`invalid IP address found in remote address '${remoteAddress}'`)
    : { holds: within };
}

function scalr({ secret }: Match, request: FileRequest, now: number): Verdict {
  if (secret === "") return failed("signature validation secret can not be empty");
  const trouble = scalrProblem(request, secret, now);
  if (trouble === undefined) return { holds: false };
  if (trouble === false) return { holds: true };
  return failed(trouble, trouble.startsWith("invalid payload") ? "signature" : "other");
}
