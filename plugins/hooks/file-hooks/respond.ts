/** What a hook of a hooks file responds: decided by the rules of its file, run and recorded like every hook. */
import { type FileResponse, fileResponse } from "../compat/answer.js";
import {
  decideFile,
  type FileContext,
  type FileDecision,
  refusedMethod,
} from "../compat/decide.js";
import { detectContentType } from "../compat/detect-type.js";
import type { FileHook } from "../compat/hook.js";
import { passFiles } from "../compat/pass-files.js";
import { programOf } from "../compat/program-path.js";
import type { ReceivedRequest } from "../compat/request/file-request.js";
import type { HookCommand } from "../decide/command.js";
import type { Incoming } from "../decide/incoming.js";
import { type Refusal, type RefusalReason, refuse } from "../decide/refusal.js";
import { evidenceOf, type RequestContext, type RunEvidence } from "../evidence/run-evidence.js";
import { storeRequest } from "../evidence/stored-request.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { newInvocation } from "../runs/invocation.js";
import type { SubmittedRun } from "../runs/submit-run.js";
import type { HookResponse } from "../server/handler.js";
import type { FileHookRequest } from "../server/hook-server.js";
import { faultSteps, fileRedactor, fileSteps, type NotedContext } from "./steps.js";

export interface ServedHook {
  readonly hook: FileHook;
  readonly runtime: HookRuntime;
  readonly strict: boolean;
}

type Refused = Extract<FileDecision, { kind: "refuse" }>;
type Accepted = Extract<FileDecision, { kind: "run" }>;

/** The response, or the refusal of the run. */
export async function respondToFileHook(
  served: ServedHook,
  { request, rawHeaders, port, from, context }: FileHookRequest,
): Promise<HookResponse | Refusal> {
  const { hook, runtime } = served;
  const fileContext = contextOf(served, request.now);
  const { notes, note } = fileContext;
  const received = receivedFrom(request, rawHeaders, port);
  const decision = decideFor(served, received, fileContext);
  if (decision.kind === "refuse") {
    runtime.refused(refusalOf(decision, notes.at(-1)), from, request);
    const { status, headers = {}, message: body } = decision;
    return rendered({ status, headers: Object.entries(headers), body });
  }
  const evidence = fileEvidence(served, decision, { received, request, fileContext }, context());
  const run = await submitFileRun(served, decision, { from, fileContext, evidence });
  if ("reason" in run) return run;
  const { id, finished } = run;
  if (!hook.includeOutput) {
    void finished.catch(() => undefined);
    return rendered(fileResponse(hook, undefined, note), id);
  }
  const { state, output } = await finished;
  return rendered(fileResponse(hook, { succeeded: state === "succeeded", output }, note), id);
}

/** A request in the terms of hooks files. */
export function receivedFrom(
  { method, query, headers, remoteIp, body }: Incoming,
  rawHeaders: readonly string[] = Object.entries(headers).flat(),
  port = 0,
): ReceivedRequest {
  const host = remoteIp?.includes(":") ? `[${remoteIp}]` : remoteIp;
  const remoteAddress = host === undefined ? "@" : `${host}:${port}`;
  return { method, query, body, rawHeaders, remoteAddress };
}

export const decideFor = (
  { hook }: Pick<ServedHook, "hook">,
  received: ReceivedRequest,
  context: FileContext,
): FileDecision =>
  refusedMethod(hook, received.method, context) ?? decideFile(hook, received, context);

export function contextOf(
  { strict }: Pick<ServedHook, "strict">,
  now: number,
  isTrusted = false,
): NotedContext {
  const notes: string[] = [];
  const note = (line: string): void => void notes.push(line);
  return { strict, now, methods: [], note, notes, isTrusted, verdicts: new Map() };
}

export interface DecidedRequest {
  readonly received: ReceivedRequest;
  readonly request: Incoming;
  readonly fileContext: NotedContext;
}

export function fileEvidence(
  { hook, runtime }: ServedHook,
  decision: Accepted,
  { received, request, fileContext }: DecidedRequest,
  context: RequestContext,
): RunEvidence {
  const hidden = fileRedactor(hook);
  return evidenceOf({
    ...{ hook: runtime.block, hidden, context },
    shown: storeRequest(request, hidden, received.rawHeaders),
    decision: fileSteps(hook, decision, fileContext, hidden),
    command: { env: decision.command.env, stdin: undefined },
  });
}

export interface FileRunOptions {
  readonly from: string;
  readonly fileContext: NotedContext;
  readonly evidence: RunEvidence;
}

/** Files that are passed to the command are removed when it has ended. */
export async function submitFileRun(
  { hook, runtime }: ServedHook,
  decision: Accepted,
  { from, fileContext, evidence }: FileRunOptions,
): Promise<SubmittedRun | Refusal> {
  const { block } = runtime;
  const { command } = decision;
  const passed = await passFiles(command.files, block.values.cwd ?? "", fileContext.note);
  const hookCommand: HookCommand = {
    argv: [programOf(hook), ...command.argv.slice(1)],
    env: { ...command.env, ...passed.env },
    stdin: undefined,
    reply: { body: undefined, headers: {} },
    files: undefined,
    key: undefined,
    delivery: undefined,
    limitKey: undefined,
    awaited: hook.includeOutput,
    fleeting: command.files.length > 0,
    scope: undefined,
  };
  const run = await runtime.trigger(newInvocation(block, hookCommand, from, { evidence }));
  if ("reason" in run) {
    await passed.remove();
    return run;
  }
  for (const { says } of faultSteps(decision, fileContext)) {
    runtime.warn("A request lacks what its hook needs", {
      run: run.id,
      reason: evidence.hide(says),
    });
  }
  return { id: run.id, finished: run.finished.finally(() => passed.remove()) };
}

const REASONS: Readonly<Record<Refused["reason"], RefusalReason>> = {
  method: "method_not_allowed",
  body: "bad_body",
  mismatch: "condition_not_met",
  signature: "bad_signature",
  rules: "incomplete_request",
};

export const refusalOf = (
  { reason, status, message }: Refused,
  cause: string | undefined,
): Refusal =>
  refuse(REASONS[reason], message || "This hook does not accept that method.", {
    status,
    ...(cause === undefined ? {} : { cause }),
  });

function rendered({ status, headers, body }: FileResponse, run?: string): HookResponse {
  return {
    status,
    headers: {
      "content-type": detectContentType(body),
      ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      ...(run === undefined ? {} : { "reeve-run": run }),
    },
    body,
  };
}
