/** Requests through the control socket: explained, or run without verifying the sender. */
import type { HookBlock } from "../blocks/blocks.js";
import { decide } from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import type { HookExplanation, ManualRequest, TriggerOutcome } from "../evidence/api.js";
import { hookEvidence, type RequestContext } from "../evidence/run-evidence.js";
import type { Sender } from "../evidence/steps.js";
import { storedBytes } from "../evidence/stored-request.js";
import {
  contextOf,
  decideFor,
  fileEvidence,
  receivedFrom,
  refusalOf,
  type ServedHook,
  submitFileRun,
} from "../file-hooks/respond.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { newInvocation } from "../runs/invocation.js";
import type { SubmittedRun } from "../runs/submit-run.js";
import { explainBlock, explainFileHook, shownRefusal } from "./explain.js";

/** A hook of a block or of a hooks file. */
export interface HookTarget {
  readonly name: string;
  readonly runtime: HookRuntime;
  /** For a hook of a hooks file. */
  readonly served?: ServedHook;
  /** The hooks of its path that accept one of its methods, in order, itself included. */
  readonly rivals?: readonly HookBlock[];
  /** Secrets of the configuration, to redact. */
  readonly secrets: readonly string[];
}

/** `methods`: the hook's own; the first is the default. */
export function incomingOf(
  { method, query = "", headers = {}, path, remoteIp, body, base64 }: ManualRequest,
  methods: readonly string[],
  now: number,
): Incoming {
  const text = body === undefined ? {} : { text: body };
  const [usual = "POST"] = methods;
  return {
    method: method ?? usual,
    query,
    headers: headersOf(
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    ),
    remoteIp,
    body: storedBytes(base64 === undefined ? text : { base64 }),
    now,
    ...(path === undefined ? {} : { path }),
  };
}

export const explained = (
  target: HookTarget,
  request: Incoming,
  sender: Sender,
): HookExplanation =>
  target.served
    ? explainFileHook(target.served, request, sender, target.secrets)
    : explainBlock(target.runtime.block, request, sender, target);

export interface TriggerMode {
  /** `by hand`, `replay of 06…`. */
  readonly from: string;
  readonly replayOf?: string;
  readonly dryRun: boolean;
}

/** Decides like for any sender, without `verify`. */
export async function triggerManually(
  target: HookTarget,
  request: Incoming,
  { from, replayOf, dryRun }: TriggerMode,
): Promise<TriggerOutcome> {
  const explanation = explained(target, request, "trusted");
  if (explanation.refusal) return { ...explanation, outcome: "refused" };
  if (dryRun) return { ...explanation, outcome: "would_run" };
  const context = {
    ...{ received: request.now, read: 0, decided: 0, byHand: true as const },
    ...(replayOf === undefined ? {} : { replayOf }),
  };
  const started = await submit(target, request, from, context);
  if (!("reason" in started)) {
    void started.finished.catch(() => undefined);
    return { outcome: "accepted", hook: target.name, run: started.id };
  }
  return { ...explanation, refusal: shownRefusal(started), outcome: "refused" };
}

async function submit(
  { runtime, served }: HookTarget,
  request: Incoming,
  from: string,
  context: RequestContext,
): Promise<SubmittedRun | Refusal> {
  if (!served) {
    const decision = decide(request, runtime.block, true);
    if (decision.kind === "refuse") return decision.refusal;
    const evidence = hookEvidence(request, runtime.block, decision, context);
    return runtime.trigger(newInvocation(runtime.block, decision.command, from, { evidence }));
  }
  const fileContext = contextOf(served, request.now, true);
  const received = receivedFrom(request);
  const decision = decideFor(served, received, fileContext);
  if (decision.kind === "refuse") return refusalOf(decision, undefined);
  const evidence = fileEvidence(served, decision, { received, request, fileContext }, context);
  return submitFileRun(served, decision, { from, fileContext, evidence });
}
