/** A refusal: why a request starts no run, or its run fails, as a problem (RFC 9457) for the sender. */

export type RefusalReason =
  | "unknown_hook"
  | "unknown_run"
  | "address_not_allowed"
  | "origin_not_allowed"
  | "method_not_allowed"
  | "body_too_large"
  | "bad_request"
  | "unsupported_media_type"
  | "bad_signature"
  | "keys_unavailable"
  | "bad_body"
  | "condition_not_met"
  | "incomplete_request"
  | "queue_full"
  | "rate_limited"
  | "dropped"
  | "stopping"
  | "cancelled"
  | "not_recorded"
  | "repeated"
  | "command_failed"
  | "command_timed_out";

export interface Refusal {
  readonly status: number;
  readonly reason: RefusalReason;
  /** The same for every refusal of its reason. */
  readonly title: string;
  /** One sentence about this request, without secrets or conditions. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the operator only. A function if it is expensive. */
  readonly cause?: string | (() => string);
}

const titles: Readonly<Record<RefusalReason, readonly [status: number, title: string]>> = {
  unknown_hook: [404, "No such hook"],
  unknown_run: [404, "No such run"],
  address_not_allowed: [403, "Address not allowed"],
  origin_not_allowed: [403, "Origin not allowed"],
  method_not_allowed: [405, "Method not allowed"],
  body_too_large: [413, "Body too large"],
  bad_request: [400, "Bad request"],
  unsupported_media_type: [415, "Unsupported content type"],
  bad_signature: [401, "Not authenticated"],
  keys_unavailable: [503, "Keys not available"],
  bad_body: [400, "Unreadable body"],
  condition_not_met: [403, "Condition not met"],
  incomplete_request: [422, "Incomplete request"],
  queue_full: [429, "Too many requests"],
  rate_limited: [429, "Rate limit exceeded"],
  dropped: [503, "Dropped for a newer request"],
  stopping: [503, "Stopping"],
  cancelled: [409, "Cancelled"],
  not_recorded: [503, "Not accepted"],
  repeated: [200, "Already accepted"],
  command_failed: [500, "Command failed"],
  command_timed_out: [504, "Command timed out"],
};

export function refuse(
  reason: RefusalReason,
  detail: string,
  more: Partial<Pick<Refusal, "status" | "headers" | "cause">> = {},
): Refusal {
  const [status, title] = titles[reason];
  return { status, reason, title, detail, ...more };
}

/** A detail that may be costly is made when it is read. */
export const detailText = (detail: string | (() => string)): string =>
  typeof detail === "string" ? detail : detail();
