/** Requests that come by the control socket: explained, or carried out without asking for proof of who sent them. */
import { decide } from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import { circumstancesOf, decisionOn, fileAccount, refusalOf, start } from "../files/handle.js";
import type { ServedHook } from "../files/hooks-file.js";
import { fileSteps, hiddenOf as hiddenOfFile } from "../files/steps.js";
import { type Started, shownArgv } from "../run/execute.js";
import type { RunningHook } from "../run/running-hook.js";
import { accountOf, shownEnv, type Circumstances as Times } from "./account.js";
import type { Explained, HandRequest, Outcome } from "./api.js";
import { bytesOf, kept } from "./kept-request.js";
import { allSteps, hiddenOf } from "./steps.js";

/** A hook of the language, or of a file. */
export type Target =
  | { readonly name: string; readonly running: RunningHook; readonly served?: undefined }
  | { readonly name: string; readonly running: RunningHook; readonly served: ServedHook };

export function incomingOf(
  { method, query = "", headers = {}, path, remoteIp, body, base64 }: HandRequest,
  { running }: Target,
  now: number,
): Incoming {
  const text = body === undefined ? {} : { text: body };
  const [usual = "POST"] = running.block.values.methods;
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

export function explained(target: Target, request: Incoming, isTrusted: boolean): Explained {
  return target.served
    ? explainedByFile(target.served, request, isTrusted)
    : explainedByBlock(target.running, request, isTrusted);
}

function explainedByBlock(
  { block }: RunningHook,
  request: Incoming,
  isTrusted: boolean,
): Explained {
  const hidden = hiddenOf(block);
  kept(request, hidden);
  const { steps, command } = allSteps(request, block, hidden, isTrusted);
  const hook = block.label ?? "";
  const decision = decide(request, block, isTrusted);
  if (decision.kind === "refuse") {
    return { hook, decision: steps, refusal: shown(decision.refusal) };
  }
  if (!command) return { hook, decision: steps };
  const argv = shownArgv(command.argv, (text) => hidden.text(text));
  return { hook, decision: steps, argv, env: shownEnv(command.env, hidden) };
}

function explainedByFile(served: ServedHook, request: Incoming, isTrusted: boolean): Explained {
  const { hook } = served;
  const hidden = hiddenOfFile(hook);
  kept(request, hidden);
  const notes: string[] = [];
  const circumstances = circumstancesOf(served, request.now, (line) => notes.push(line), isTrusted);
  const decision = decisionOn(served, arrivedOf(request), circumstances);
  const steps = fileSteps(hook, decision, circumstances, hidden);
  if (decision.kind === "refuse") {
    const refusal = shown(refusalOf(decision, undefined));
    return { hook: hook.id, decision: steps, refusal };
  }
  const { argv, env } = decision.command;
  return {
    hook: hook.id,
    decision: steps,
    argv: shownArgv(argv, (text) => hidden.text(text)),
    env: shownEnv(env, hidden),
  };
}

const shown = ({ status, reason, detail }: Refusal): NonNullable<Explained["refusal"]> => ({
  status,
  reason,
  detail,
});

function arrivedOf({ method, query, headers, remoteIp, body }: Incoming) {
  const address = remoteIp?.includes(":") ? `[${remoteIp}]` : remoteIp;
  const remoteAddress = address === undefined ? "@" : `${address}:0`;
  return { method, query, body, remoteAddress, rawHeaders: Object.entries(headers).flat() };
}

export interface Manner {
  /** `by hand`, `replay of 06…`. */
  readonly from: string;
  readonly replayOf?: string;
  readonly dryRun: boolean;
}

/** The same decision as for everybody, but for the proof of who sends. */
export async function carryOut(
  target: Target,
  request: Incoming,
  { from, replayOf, dryRun }: Manner,
): Promise<Outcome> {
  const told = explained(target, request, true);
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
  return { ...told, refusal: shown(started), outcome: "refused" };
}

async function begun(
  { running, served }: Target,
  request: Incoming,
  from: string,
  times: Times,
): Promise<Started | Refusal> {
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
