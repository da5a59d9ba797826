/** Renders refusals, accepted and finished runs as responses. */
import type { HookBlock } from "../blocks/blocks.js";
import type { SuccessReply } from "../decide/command.js";
import { decodedHeaders, queryOf } from "../decide/incoming.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import type { Finished } from "../runs/finished.js";
import { readCgiResponse } from "./cgi-response.js";
import type { HookResponse } from "./handler.js";
import type { RequestView } from "./request-view.js";

const TEXT = "text/plain; charset=utf-8";
/** Browsers show text that a sender chose as text. */
const NO_SNIFFING = { "x-content-type-options": "nosniff" };
const JSON_TYPE = "application/json; charset=utf-8";
const PROBLEM = "application/problem+json; charset=utf-8";

/** `accept`: the request's header; text is for clients that accept it and not JSON. */
export function refusalResponse(
  refusal: Refusal,
  accept: string | undefined,
  more?: Readonly<Record<string, string>>,
): HookResponse {
  if (more || refusal.headers) return written(refusal, accept, more);
  const { status, title, detail } = refusal;
  if (
    latest?.detail !== detail ||
    latest.status !== status ||
    latest.title !== title ||
    latest.accept !== accept
  ) {
    latest = { status, title, detail, accept, answer: written(refusal, accept) };
  }
  return latest.answer;
}

/** The last refusal rendered: bursts get the same one. */
let latest: Latest | undefined;

interface Latest {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly accept: string | undefined;
  readonly answer: HookResponse;
}

function written(
  { status, title, detail, headers = {} }: Refusal,
  accept: string | undefined,
  more: Readonly<Record<string, string>> = {},
): HookResponse {
  if (prefersText(accept)) {
    return { status, headers: { ...headers, "content-type": TEXT }, body: `${detail}\n` };
  }
  const kind = status < 400 ? JSON_TYPE : PROBLEM;
  const body = JSON.stringify({ title, status, detail, ...more });
  return { status, headers: { ...headers, "content-type": kind }, body };
}

export function acceptedResponse(hook: HookBlock, reply: SuccessReply, run: string): HookResponse {
  const status = hook.values.response?.values.status ?? 202;
  return success(status, reply, run, { hook: hook.label, run, state: "accepted" });
}

export function finishedResponse(
  hook: HookBlock,
  reply: SuccessReply,
  run: string,
  finished: Finished,
  refused: (refusal: Refusal) => HookResponse,
): HookResponse {
  const options = hook.values.response?.values;
  const marked = { "reeve-run": run };
  const withRun = (answer: HookResponse): HookResponse => ({
    ...answer,
    headers: { ...answer.headers, ...marked },
  });
  const given = options?.from_command ? commandAnswer(finished, reply, marked) : undefined;
  if (given) return given;
  const { exitCode, started } = finished;
  const mapped = started && exitCode !== undefined ? options?.exit_status[exitCode] : undefined;
  const headers = { "content-type": TEXT, ...NO_SNIFFING, ...lowered(reply.headers), ...marked };
  if (reply.resultBody && started) {
    const body = reply.resultBody({ ...finished, run });
    if (typeof body !== "string") return withRun(refused(body));
    const status =
      mapped ??
      (finished.state === "succeeded"
        ? (options?.status ?? 200)
        : unsuccessful(finished, options?.failure_status ?? 500, run).status);
    return { status, headers, body };
  }
  if (mapped !== undefined) {
    if (options?.include_output) return { status: mapped, headers, body: finished.output };
    if (mapped < 400) return success(mapped, reply, run, { hook: hook.label, run, exitCode });
  }
  if (finished.state === "succeeded") {
    const status = options?.status ?? 200;
    if (options?.include_output) return { status, headers, body: finished.output };
    return success(status, reply, run, { hook: hook.label, run, state: "succeeded" });
  }
  const refusal = unsuccessful(finished, mapped ?? options?.failure_status ?? 500, run);
  if (options?.include_output_on_error && finished.started) {
    return { status: refusal.status, headers, body: finished.output };
  }
  return withRun(refused(refusal));
}

/** The body that the hook's configuration gives to refusals; `undefined` if it cannot be evaluated. */
export function configuredRefusal(
  { status, reason, detail, headers = {} }: Refusal,
  { values: { response } }: HookBlock,
  { method, headers: sent, query }: RequestView,
): HookResponse | undefined {
  const { refusal_body, refusal_type } = response?.values ?? {};
  if (!refusal_body || reason === "repeated") return undefined;
  const outcome = refusal_body.evaluate({
    ...{ status, reason, detail, method },
    ...{ header: decodedHeaders(sent), query: queryOf(query) },
  });
  if (outcome.kind !== "value") return undefined;
  const type = { "content-type": refusal_type ?? TEXT, ...NO_SNIFFING };
  return { status, headers: { ...headers, ...type }, body: String(outcome.value) };
}

/** `undefined` if the command failed without a valid response. */
function commandAnswer(
  { state, output }: Finished,
  reply: SuccessReply,
  marked: Readonly<Record<string, string>>,
): HookResponse | undefined {
  const answer = readCgiResponse(output);
  if (typeof answer === "string") {
    if (state !== "succeeded") return undefined;
    const { "reeve-run": run } = marked;
    const detail = `The command printed an invalid response: ${answer}; run ${run} has the details.`;
    const refusal = refusalResponse(
      refuse("command_failed", detail, { status: 502 }),
      undefined,
      marked,
    );
    return { ...refusal, headers: { ...refusal.headers, ...marked } };
  }
  const headers = { "content-type": TEXT, ...lowered(reply.headers), ...answer.headers, ...marked };
  const status = answer.status ?? (state === "succeeded" ? 200 : 500);
  return { status, headers, body: answer.body };
}

function success(status: number, reply: SuccessReply, run: string, data: object): HookResponse {
  const type =
    reply.body === undefined
      ? { "content-type": JSON_TYPE }
      : { "content-type": TEXT, ...NO_SNIFFING };
  return {
    status,
    headers: { ...type, ...lowered(reply.headers), "reeve-run": run },
    body: reply.body ?? JSON.stringify(data),
  };
}

/** Senders get the run's id; the reason is for the operator. */
function unsuccessful(finished: Finished, failureStatus: number, run: string): Refusal {
  const { state, lost, byPerson } = finished;
  if (byPerson) return refuse("cancelled", `A user cancelled run ${run}.`);
  if (lost === "dropped") return refuse("dropped", "A newer request replaced this one.", later);
  if (state === "cancelled") return refuse("stopping", "The daemon is stopping.", later);
  const detail =
    state === "timed_out"
      ? `The command exceeded its timeout; run ${run} has the details.`
      : `The command failed; run ${run} has the details.`;
  return refuse(
    state === "timed_out" ? "command_timed_out" : "command_failed",
    detail,
    state === "timed_out" ? {} : { status: failureStatus },
  );
}

const later = { headers: { "retry-after": "10" } } as const;

function prefersText(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return /\btext\/(plain|html|\*)/i.test(accept) && !/\bjson\b/i.test(accept);
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
