/** A request for a hook of a file: decided as the file says, run and recorded as every hook. */
import { type FileResponse, fileResponse } from "../compat/answer.js";
import {
  decideFile,
  type FileContext,
  type FileDecision,
  refusedMethod,
} from "../compat/decide.js";
import { detectContentType } from "../compat/detect-type.js";
import { passFiles } from "../compat/pass-files.js";
import { programOf } from "../compat/place.js";
import type { ReceivedRequest } from "../compat/request/request.js";
import type { Incoming } from "../decide/incoming.js";
import { type Refusal, type RefusalReason, refuse } from "../decide/refusal.js";
import {
  evidenceOf,
  type RunEvidence,
  type RequestContext as Times,
} from "../history/run-evidence.js";
import { storeRequest } from "../history/stored-request.js";
import type { SubmittedRun } from "../runs/submit-run.js";
import type { HookResponse } from "../server/response.js";
import type { ServedHook } from "./hooks-file.js";
import { fileRedactor, fileSteps } from "./steps.js";

export interface FileRequestContext {
  readonly arrived: ReceivedRequest;
  /** The same in the words of the language. */
  readonly request: Incoming;
  /** Where it came from, in a few words. */
  readonly from: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** For its record; asked when it is decided. */
  readonly times: () => Times;
}

/** An answer, or why there is no run that could give one. */
export async function handleFileHook(
  served: ServedHook,
  { arrived, request, from, now, times }: FileRequestContext,
): Promise<HookResponse | Refusal> {
  const { hook, running } = served;
  const notes: string[] = [];
  const note = (line: string): void => void notes.push(line);
  const context = fileContext(served, now, note);
  const decision = decisionOn(served, arrived, context);
  if (decision.kind === "refuse") {
    running.refused(refusalOf(decision, notes.at(-1)), from, request);
    return plainAnswer({
      status: decision.status,
      headers: Object.entries(decision.headers ?? {}),
      body: decision.message,
    });
  }
  const account = fileEvidence(served, {
    decision,
    arrived,
    request,
    context,
    times: times(),
  });
  const outcome = await submitFileRun(served, decision, { from, note, account });
  if ("reason" in outcome) return outcome;
  const { finished } = outcome;
  if (!hook.includeOutput) {
    void finished.catch(() => undefined);
    return plainAnswer(fileResponse(hook, undefined, note), outcome.id);
  }
  const { state, output } = await finished;
  return plainAnswer(
    fileResponse(hook, { succeeded: state === "succeeded", output }, note),
    outcome.id,
  );
}

export function decisionOn(
  { hook }: Pick<ServedHook, "hook">,
  arrived: ReceivedRequest,
  context: FileContext,
): FileDecision {
  return refusedMethod(hook, arrived.method, context) ?? decideFile(hook, arrived, context);
}

export const fileContext = (
  { strict }: Pick<ServedHook, "strict">,
  now: number,
  note: (line: string) => void,
  isTrusted = false,
): FileContext => ({ strict, now, methods: [], note, isTrusted, verdicts: new Map() });

export function fileEvidence(
  { hook, running }: ServedHook,
  {
    decision,
    arrived,
    request,
    context,
    times,
  }: {
    readonly decision: Extract<FileDecision, { kind: "run" }>;
    readonly arrived: ReceivedRequest;
    readonly request: Incoming;
    readonly context: FileContext;
    readonly times: Times;
  },
): RunEvidence {
  const hidden = fileRedactor(hook);
  const shown = storeRequest(request, hidden, arrived.rawHeaders);
  return evidenceOf({
    hook: running.block,
    hidden,
    shown,
    decision: fileSteps(hook, decision, context, hidden),
    command: { env: decision.command.env, stdin: undefined },
    context: times,
  });
}

/** Runs what was decided; files that are passed are gone when it has ended. */
export async function submitFileRun(
  { hook, running }: ServedHook,
  { command }: Extract<FileDecision, { kind: "run" }>,
  {
    from,
    note,
    account,
  }: {
    readonly from: string;
    readonly note: (line: string) => void;
    readonly account: RunEvidence;
  },
): Promise<SubmittedRun | Refusal> {
  const passed = await passFiles(command.files, running.block.values.cwd ?? "", note);
  const outcome = await running.trigger(
    running.block,
    {
      argv: [programOf(hook), ...command.argv.slice(1)],
      env: { ...command.env, ...passed.env },
      stdin: undefined,
      reply: { body: undefined, headers: {} },
      awaited: hook.includeOutput,
      fleeting: command.files.length > 0,
    },
    from,
    account,
  );
  if ("reason" in outcome) {
    await passed.remove();
    return outcome;
  }
  return { id: outcome.id, finished: outcome.finished.finally(() => passed.remove()) };
}

const reasons: Readonly<
  Record<Extract<FileDecision, { kind: "refuse" }>["reason"], RefusalReason>
> = {
  method: "method_not_allowed",
  body: "bad_body",
  mismatch: "condition_not_met",
  signature: "bad_signature",
  rules: "incomplete_request",
};

export function refusalOf(
  { reason, status, message }: Extract<FileDecision, { kind: "refuse" }>,
  cause: string | undefined,
): Refusal {
  return refuse(reasons[reason], message || "This hook does not answer to that method.", {
    status,
    ...(cause === undefined ? {} : { cause }),
  });
}

function plainAnswer({ status, headers, body }: FileResponse, run?: string): HookResponse {
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
