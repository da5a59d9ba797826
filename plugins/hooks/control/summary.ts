/** Summaries and details of hooks for the control API. */

import type { HookDetail, HookSummary, Rejection } from "../evidence/api.js";
import type { Refused } from "../evidence/refusals.js";
import { hookRedactor } from "../evidence/steps.js";
import { storeRequest } from "../evidence/stored-request.js";
import { fileRedactor as hiddenOfFile } from "../file-hooks/steps.js";
import { explained, type HookTarget } from "./manual-trigger.js";

/** `url`: the hook's address. */
export function summaryOf(
  { name, runtime, served, rivals = [] }: Omit<HookTarget, "secrets">,
  url: string,
): HookSummary {
  const { block, admission } = runtime;
  const { statistics } = runtime.meter;
  const { calls, rejected, failures, timeouts, lastRun, since } = statistics;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => statistics.percentile(share));
  return {
    name,
    subject: block.key,
    url,
    methods: served ? served.hook.methods : block.values.methods,
    ...(block.values.priority === undefined ? {} : { priority: block.values.priority }),
    ...(rivals.length < 2 ? {} : { sharedBy: rivals.map(({ label = "" }) => label) }),
    verified: served ? served.hook.rule !== undefined : block.values.verify.length > 0,
    ...(block.doc === undefined ? {} : { doc: block.doc }),
    running: admission.running,
    waiting: admission.waiting,
    ...{ calls, rejected, failures, timeouts },
    ...(since === undefined ? {} : { since }),
    ...(p50 === undefined ? {} : { p50 }),
    ...(p95 === undefined ? {} : { p95 }),
    ...(p99 === undefined ? {} : { p99 }),
    ...(lastRun === undefined ? {} : { lastRun }),
  };
}

export function detailOf(target: HookTarget, url: string): HookDetail {
  const { timeout, concurrency, queue } = target.runtime.block.values;
  return {
    ...summaryOf(target, url),
    limits: { timeout, concurrency, queue },
    rejections: target.runtime.meter.refusals.map((refused) => rejectionOf(target, refused)),
  };
}

function rejectionOf(target: HookTarget, refused: Refused): Rejection {
  const { at, trigger, status, reason, detail, request } = refused;
  const { served, runtime, secrets } = target;
  const hidden = served ? hiddenOfFile(served.hook, secrets) : hookRedactor(runtime.block, secrets);
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
