/** Explains step by step how a hook decides a request; runs nothing. */
import { rivalsOf } from "../assign.js";
import type { HookBlock } from "../blocks/blocks.js";
import { accepts, admit, decide } from "../decide/decide.js";
import type { Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import type { DecisionStep, HookExplanation } from "../evidence/api.js";
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
import { shownArgv } from "../runs/invocation.js";

export { needsTokens } from "../server/token-verifier.js";

/** What belongs to a hook besides its block. */
interface ExplainOptions {
  /** To redact. */
  readonly secrets?: readonly string[];
  /** The hooks of its path that accept one of its methods, in order, itself included. */
  readonly rivals?: readonly HookBlock[];
}

export function explainBlock(
  block: HookBlock,
  request: Incoming,
  sender: Sender,
  { secrets = [], rivals = [] }: ExplainOptions = {},
): HookExplanation {
  const hidden = hookRedactor(block, secrets);
  storeRequest(request, hidden);
  const { steps: own, command } = allSteps(request, block, hidden, sender);
  const { taker, path } = pathStep(block, request, sender, rivals);
  const steps = [...path, ...own];
  const hook = block.label ?? "";
  if (taker) return { hook, decision: steps, takenBy: taker };
  const decision = decide(request, block, sender !== "proves");
  if (decision.kind === "refuse") {
    return { hook, decision: steps, refusal: shownRefusal(decision.refusal) };
  }
  if (!command) return { hook, decision: steps };
  const argv = shownArgv(command.argv, (text) => hidden.text(text));
  return { hook, decision: steps, argv, env: shownEnv(command.env, hidden) };
}

/** The hooks that share its server, its path and a method with a hook, in order, itself included. */
export function rivalsAmong(hook: HookBlock, blocks: readonly HookBlock[]): readonly HookBlock[] {
  const served = blocks.filter(
    ({ kind, values }) => kind === "hook" && values.server?.key === hook.values.server?.key,
  );
  return rivalsOf(hook, served);
}

/** Whether the hooks before this one leave the request to it. A trusted request is for this hook alone. */
function pathStep(
  block: HookBlock,
  request: Incoming,
  sender: Sender,
  rivals: readonly HookBlock[],
): { readonly path: readonly DecisionStep[]; readonly taker?: string | undefined } {
  const before = rivals
    .slice(0, rivals.indexOf(block))
    .filter((rival) => accepts(rival, request.method));
  if (before.length === 0) return { path: [] };
  const taker =
    sender === "trusted"
      ? undefined
      : before.find((rival) => {
          const admission = admit(request, rival, sender === "unknown");
          return !("reason" in admission);
        });
  const names = before.map(({ label = "" }) => `\`${label}\``).join(", ");
  const says = taker
    ? `\`${taker.label}\` runs instead: its priority ${taker.values.priority} comes first`
    : sender === "trusted"
      ? `chosen by name; otherwise tried after ${names}`
      : `tried after ${names}, which ${before.length === 1 ? "does" : "do"} not hold`;
  const path: readonly DecisionStep[] = [{ what: "path", holds: taker === undefined, says }];
  return { path, taker: taker?.label };
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
