/** Requests that come by the control socket: explained, or carried out without asking for proof of who sent them. */
import { decide } from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import { circumstancesOf, decisionOn, fileAccount, refusalOf, start } from "../files/handle.js";
import type { ServedHook } from "../files/hooks-file.js";
import type { HookRuntime } from "../run/hook-runtime.js";
import type { SubmittedRun } from "../run/submit-run.js";
import type { Explained, ManualRequest, Outcome } from "./api.js";
import { arrivedOf, explainBlock, explainFileHook, shownRefusal } from "./explain.js";
import { accountOf, type RequestContext as Times } from "./run-evidence.js";
import type { Sender } from "./steps.js";
import { bytesOf } from "./stored-request.js";

/** A hook of the language, or of a file. */
export interface Target {
  readonly name: string;
  readonly running: HookRuntime;
  /** Where it is one of a file. */
  readonly served?: ServedHook;
  /** Texts of the configuration that are not shown. */
  readonly secrets: readonly string[];
}

/** `methods`: those that the hook answers to. */
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
    body: bytesOf(base64 === undefined ? text : { base64 }),
    now,
    ...(path === undefined ? {} : { path }),
  };
}

export const explained = (target: Target, request: Incoming, sender: Sender): Explained =>
  target.served
    ? explainFileHook(target.served, request, sender, target.secrets)
    : explainBlock(target.running.block, request, sender, target.secrets);

export interface TriggerMode {
  /** `by hand`, `replay of 06…`. */
  readonly from: string;
  readonly replayOf?: string;
  readonly dryRun: boolean;
}

/** The same decision as for everybody, but for the proof of who sends. */
export async function triggerManually(
  target: Target,
  request: Incoming,
  { from, replayOf, dryRun }: TriggerMode,
): Promise<Outcome> {
  const told = explained(target, request, "trusted");
  if (told.refusal) return { ...told, outcome: "refused" };
  if (dryRun) return { ...told, outcome: "would_run" };
  const times = {
    ...{ received: request.now, read: 0, decided: 0, byHand: true as const },
    ...(replayOf === undefined ? {} : { replayOf }),
  };
  const started = await begun(target, request, from, times);
  if (!("reason" in started)) {
    void started.finished.catch(() => undefined);
    return { outcome: "accepted", hook: target.name, run: started.id };
  }
  return { ...told, refusal: shownRefusal(started), outcome: "refused" };
}

async function begun(
  { running, served }: Target,
  request: Incoming,
  from: string,
  times: Times,
): Promise<SubmittedRun | Refusal> {
  if (!served) {
    const decision = decide(request, running.block, true);
    if (decision.kind === "refuse") return decision.refusal;
    const account = accountOf(request, running.block, decision, times);
    return running.trigger(running.block, decision.command, from, account);
  }
  const note = (): void => undefined;
  const circumstances = circumstancesOf(served, request.now, note, true);
  const arrived = arrivedOf(request);
  const decision = decisionOn(served, arrived, circumstances);
  if (decision.kind === "refuse") return refusalOf(decision, undefined);
  const account = fileAccount(served, { decision, arrived, request, circumstances, times });
  return start(served, decision, { from, note, account });
}
