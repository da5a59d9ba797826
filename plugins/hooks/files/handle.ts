/** A request for a hook of a file: decided as the file says, run and recorded as every hook. */
import { answerOf, type FileAnswer } from "../compat/answer.js";
import {
  type Circumstances,
  decideFile,
  type FileDecision,
  refusedMethod,
} from "../compat/decide.js";
import { passFiles } from "../compat/pass-files.js";
import { programOf } from "../compat/place.js";
import type { Arrived } from "../compat/request/request.js";
import { sniffed } from "../compat/sniff.js";
import { type Refusal, type RefusalReason, refuse } from "../decide/refusal.js";
import type { Answer } from "../serve/answer.js";
import type { ServedHook } from "./hooks-file.js";

export interface FileRequestContext {
  readonly arrived: Arrived;
  /** Where it came from, in a few words. */
  readonly from: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** An answer, or why there is no run that could give one. */
export async function handleFileHook(
  { hook, running, strict }: ServedHook,
  { arrived, from, now }: FileRequestContext,
): Promise<Answer | Refusal> {
  const notes: string[] = [];
  const note = (line: string): void => void notes.push(line);
  const circumstances: Circumstances = { strict, now, methods: [], note };
  const decision =
    refusedMethod(hook, arrived.method, circumstances) ?? decideFile(hook, arrived, circumstances);
  if (decision.kind === "refuse") {
    running.refused(refusalOf(decision, notes.at(-1)), from);
    return plainAnswer({
      status: decision.status,
      headers: Object.entries(decision.headers ?? {}),
      body: decision.message,
    });
  }
  const { command } = decision;
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
  );
  if ("reason" in outcome) {
    await passed.remove();
    return outcome;
  }
  const finished = outcome.finished.finally(() => passed.remove());
  if (!hook.includeOutput) {
    void finished.catch(() => undefined);
    return plainAnswer(answerOf(hook, undefined, note), outcome.id);
  }
  const { state, output } = await finished;
  return plainAnswer(
    answerOf(hook, { succeeded: state === "succeeded", output }, note),
    outcome.id,
  );
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

function refusalOf(
  { reason, status, message }: Extract<FileDecision, { kind: "refuse" }>,
  cause: string | undefined,
): Refusal {
  return refuse(reasons[reason], message || "This hook does not answer to that method.", {
    status,
    ...(cause === undefined ? {} : { cause }),
  });
}

function plainAnswer({ status, headers, body }: FileAnswer, run?: string): Answer {
  return {
    status,
    headers: {
      "content-type": sniffed(body),
      ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      ...(run === undefined ? {} : { "reeve-run": run }),
    },
    body,
  };
}
