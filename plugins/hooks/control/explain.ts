/** Explains step by step how a hook decides a request; runs nothing. */
import type { HookBlock } from "../blocks/blocks.js";
import { decide } from "../decide/decide.js";
import type { Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import type { HookExplanation } from "../evidence/api.js";
import { shownEnv } from "../evidence/run-evidence.js";
import { allSteps, hookRedactor, type Sender } from "../evidence/steps.js";
import { storeRequest } from "../evidence/stored-request.js";
import {
  contextOf,
  decideFor,
  receivedFrom,
  refusalOf,
  type ServedHook,
} from "../file-hooks/respond.js";
import { fileSteps, fileRedactor as hiddenOfFile } from "../file-hooks/steps.js";
import { shownArgv } from "../runs/submit-run.js";

export { needsTokens } from "../server/token-verifier.js";

/** `secrets` are redacted. */
export function explainBlock(
  block: HookBlock,
  request: Incoming,
  sender: Sender,
  secrets: readonly string[] = [],
): HookExplanation {
  const hidden = hookRedactor(block, secrets);
  storeRequest(request, hidden);
  const { steps, command } = allSteps(request, block, hidden, sender);
  const hook = block.label ?? "";
  const decision = decide(request, block, sender !== "proves");
  if (decision.kind === "refuse") {
    return { hook, decision: steps, refusal: shownRefusal(decision.refusal) };
  }
  if (!command) return { hook, decision: steps };
  const argv = shownArgv(command.argv, (text) => hidden.text(text));
  return { hook, decision: steps, argv, env: shownEnv(command.env, hidden) };
}

export function explainFileHook(
  served: Pick<ServedHook, "hook" | "strict">,
  request: Incoming,
  sender: Sender,
  secrets: readonly string[] = [],
): HookExplanation {
  const { hook } = served;
  const hidden = hiddenOfFile(hook, secrets);
  storeRequest(request, hidden);
  const isTrusted = sender !== "proves";
  const context = contextOf(served, request.now, isTrusted);
  const decision = decideFor(served, receivedFrom(request), context);
  const steps = fileSteps(hook, decision, context, hidden);
  if (decision.kind === "refuse") {
    const refusal = shownRefusal(refusalOf(decision, undefined));
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

export const shownRefusal = ({
  status,
  reason,
  detail,
}: Refusal): NonNullable<HookExplanation["refusal"]> => ({ status, reason, detail });
