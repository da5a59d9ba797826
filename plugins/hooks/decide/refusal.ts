/** Why a request does not become a run, or not a good one: a problem with a status (RFC 9457), in words for whoever sent it. */

export type RefusalReason =
  | "unknown_hook"
  | "unknown_run"
  | "address_not_allowed"
  | "method_not_allowed"
  | "body_too_large"
  | "bad_request"
  | "unsupported_media_type"
  | "bad_signature"
  | "bad_body"
  | "condition_not_met"
  | "incomplete_request"
  | "queue_full"
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
  /** Short, the same for every refusal of its kind. */
  readonly title: string;
  /** One sentence about this request. Never quotes a secret, or a condition. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the operator may know and the sender may not. A function where it takes work to say. */
  readonly cause?: string | (() => string);
}

const titles: Readonly<Record<RefusalReason, readonly [status: number, title: string]>> = {
  unknown_hook: [404, "No such hook"],
  unknown_run: [404, "No such run"],
  address_not_allowed: [403, "Address not allowed"],
  method_not_allowed: [405, "Method not allowed"],
  body_too_large: [413, "Body too large"],
  bad_request: [400, "Bad request"],
  unsupported_media_type: [415, "Unsupported content type"],
  bad_signature: [401, "Not authenticated"],
  bad_body: [400, "Unreadable body"],
  condition_not_met: [403, "Condition not met"],
  incomplete_request: [422, "Incomplete request"],
  queue_full: [429, "Too many requests"],
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
