/** A hook in numbers, and one from close. */

import { fileRedactor as hiddenOfFile } from "../file-hooks/steps.js";
import type { HookDetail, HookSummary, Rejection } from "./api.js";
import { explained, type HookTarget } from "./manual-trigger.js";
import type { Refused } from "./refusals.js";
import { hookRedactor } from "./steps.js";
import { storeRequest } from "./stored-request.js";

/** `url`: where it is answered. */
export function summaryOf(
  { name, running, served }: Omit<HookTarget, "secrets">,
  url: string,
): HookSummary {
  const { block, queue: lane, statistics } = running;
  const { calls, rejected, failures, timeouts, lastRun } = statistics;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => statistics.percentile(share));
  return {
    name,
    subject: block.key,
    url,
    methods: served ? served.hook.methods : block.values.methods,
    verified: served ? served.hook.rule !== undefined : block.values.verify.length > 0,
    ...(block.doc === undefined ? {} : { doc: block.doc }),
    running: lane.running,
    waiting: lane.waiting,
    ...{ calls, rejected, failures, timeouts },
    ...(p50 === undefined ? {} : { p50 }),
    ...(p95 === undefined ? {} : { p95 }),
    ...(p99 === undefined ? {} : { p99 }),
    ...(lastRun === undefined ? {} : { lastRun }),
  };
}

export function detailOf(target: HookTarget, url: string): HookDetail {
  const { timeout, concurrency, queue } = target.running.block.values;
  return {
    ...summaryOf(target, url),
    limits: { timeout, concurrency, queue },
    rejections: target.running.refusals.list().map((refused) => rejectionOf(target, refused)),
  };
}

function rejectionOf(target: HookTarget, refused: Refused): Rejection {
  const { at, trigger, status, reason, detail, request } = refused;
  const { served, running, secrets } = target;
  const hidden = served ? hiddenOfFile(served.hook, secrets) : hookRedactor(running.block, secrets);
  const shown = request && storeRequest(request, hidden);
  const said = typeof detail === "string" ? detail : detail();
  return {
    ...{ at, trigger, status, reason, detail: hidden.text(said) },
    ...(request &&
      shown && {
        request: shown,
        decision: explained(target, request, "proves").decision,
      }),
  };
}
