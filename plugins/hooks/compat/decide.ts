/** Decides a request for a hook of a file. Pure. */
import { type FileCommand, fileCommand } from "./command.js";
import type { FileHook, MatchOptions, ParameterReference } from "./hook.js";
import type { FileRequest, ReceivedRequest, WriteNote } from "./request/file-request.js";
import { readRequest } from "./request/request.js";
import { evaluateRule } from "./rules/judge.js";
import type { MatchContext } from "./rules/match.js";

export interface FileContext extends MatchOptions {
  /** For hooks that restrict no methods themselves; empty for all. */
  readonly methods: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly note: WriteNote;
  /** The sender is trusted: all signatures hold. */
  readonly isTrusted?: boolean;
  /** For `fileCommand`. */
  readonly named?: WeakSet<ParameterReference>;
  /** Collects the verdicts of matches, for explanations. */
  readonly verdicts?: MatchContext["verdicts"];
}

export type FileDecision =
  | { readonly kind: "run"; readonly command: FileCommand; readonly request: FileRequest }
  | {
      readonly kind: "refuse";
      readonly reason: "method" | "body" | "mismatch" | "signature" | "rules";
      readonly status: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Absent if it cannot be read. */
      readonly request?: FileRequest;
    };

type Refused = Extract<FileDecision, { kind: "refuse" }>;

export const TEXTS = {
  unknown: "Hook not found.",
  mismatch: "Hook rules were not satisfied.",
  rules: "Error occurred while evaluating hook rules.",
  failed:
    "Error occurred while executing the hook's command. Please check your logs for more details.",
} as const;

/** Needs no body. */
export function refusedMethod(
  hook: FileHook,
  method: string,
  { methods, strict, note }: FileContext,
): FileDecision | undefined {
  const allowed = hook.methods.length > 0 ? hook.methods : methods;
  const fine =
    allowed.length > 0 ? allowed.includes(method) : !(strict && SAFE_METHODS.has(method));
  if (fine) return undefined;
  note(`HTTP ${method} method not allowed for hook "${hook.id}"`);
  const allow = allowed.length > 0 ? allowed.join(", ") : "GET, POST, PUT, PATCH, DELETE";
  return {
    kind: "refuse",
    reason: "method",
    status: 405,
    message: "",
    ...(strict ? { headers: { allow } } : {}),
  };
}

/** Safe methods (RFC 9110) must not run anything. */
const SAFE_METHODS = new Set(["HEAD", "OPTIONS", "TRACE"]);

export function decideFile(
  hook: FileHook,
  arrived: ReceivedRequest,
  context: FileContext,
): FileDecision {
  const { note } = context;
  const reading = readRequest(hook, arrived, context, note);
  if (!reading.ok) return { kind: "refuse", reason: "body", ...pick(reading) };
  const refusal = ruleRefusal(hook, reading.request, context);
  if (refusal) return { ...refusal, request: reading.request };
  note(`${hook.id} hook triggered successfully`);
  const { request } = reading;
  return { kind: "run", command: fileCommand(hook, request, context.named), request };
}

const pick = ({ status, message }: { readonly status: number; readonly message: string }) => ({
  status,
  message,
});

function ruleRefusal(
  hook: FileHook,
  request: FileRequest,
  context: FileContext,
): Refused | undefined {
  const { strict, note } = context;
  if (!hook.rule) return undefined;
  const { holds, problem } = evaluateRule(hook.rule, request, matchContext(hook, context));
  if (problem && problem.kind !== "missing") {
    note(`error evaluating hook: ${problem.message}`);
    const signature = strict && problem.kind === "signature";
    return {
      kind: "refuse",
      reason: problem.kind === "signature" ? "signature" : "rules",
      status: signature ? 401 : 500,
      message: TEXTS.rules,
    };
  }
  if (problem) note(problem.message);
  if (holds) return undefined;
  note(
    `${hook.id} got matched, but didn't get triggered because the trigger rules were not satisfied`,
  );
  return {
    kind: "refuse",
    reason: "mismatch",
    status: statusOr(hook.mismatchStatus, strict ? 403 : 200, hook, note),
    message: TEXTS.mismatch,
  };
}

export const matchContext = (
  { softSignatures }: FileHook,
  { strict, now, note, isTrusted, verdicts }: FileContext,
): MatchContext => ({
  ...{ softSignatures, strict, now, note },
  ...(isTrusted && { isTrusted }),
  ...(verdicts && { verdicts }),
});

/** An unknown status is not sent. */
export function statusOr(wanted: number, usual: number, { id }: FileHook, note: WriteNote): number {
  if (wanted === 0) return usual;
  if (known.has(wanted)) return wanted;
  note(
    `${id} got matched, but the configured return code ${wanted} is unknown - defaulting to ${usual}`,
  );
  return usual;
}

/** Statuses with a name, from 200: those below only precede a response. */
const known: ReadonlySet<number> = new Set([
  ...[200, 201, 202, 203, 204, 205, 206, 207, 208, 226],
  ...[300, 301, 302, 303, 304, 305, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417],
  ...[418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451],
  ...[500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511],
]);
export const isKnownStatus = (status: number): boolean => known.has(status);
