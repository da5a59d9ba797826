/** The evidence stored with a run: its request, the checks and their timing. */
import type { HookBlock } from "../blocks/blocks.js";
import type { HookScope } from "../blocks/request.js";
import type { HookCommand } from "../decide/command.js";
import type { Incoming } from "../decide/incoming.js";
import type { DecisionStep, RunTrigger } from "./api.js";
import type { Redactor } from "./redactor.js";
import { acceptedSteps, hookRedactor } from "./steps.js";
import { storeRequest } from "./stored-request.js";

export interface RunEvidence {
  /** For the run's record. */
  readonly trigger: RunTrigger;
  /** Redacts a text derived from the request. */
  readonly hide: (text: string) => string;
}

export interface RequestContext {
  /** Milliseconds since the epoch. */
  readonly received: number;
  /** Milliseconds from the head to the whole body. */
  readonly read: number;
  readonly decided: number;
  readonly byHand?: true;
  readonly replayOf?: string;
}

export function hookEvidence(
  request: Incoming,
  hook: HookBlock,
  decided: { readonly scope: HookScope; readonly command: HookCommand },
  context: RequestContext,
): RunEvidence {
  const hidden = hookRedactor(hook);
  const shown = storeRequest(request, hidden);
  const sender = context.byHand ? "trusted" : "proves";
  const decision = acceptedSteps(request, hook, decided.scope, hidden, sender);
  return evidenceOf({ hook, hidden, shown, decision, command: decided.command, context });
}

export function evidenceOf({
  hook,
  hidden,
  shown,
  decision,
  command: { env, stdin },
  context,
}: {
  readonly hook: HookBlock;
  readonly hidden: Redactor;
  readonly shown: RunTrigger["request"];
  readonly decision: readonly DecisionStep[];
  readonly command: Pick<HookCommand, "env" | "stdin">;
  readonly context: RequestContext;
}): RunEvidence {
  const { received, read, decided, byHand, replayOf } = context;
  return {
    trigger: {
      hook: hook.label ?? "",
      request: shown,
      decision,
      command: { env: shownEnv(env, hidden), stdin: sizeOf(stdin) },
      timings: { received, read: rounded(read), decided: rounded(decided) },
      ...(byHand && { byHand }),
      ...(replayOf === undefined ? {} : { replayOf }),
    },
    hide: (text) => hidden.text(text),
  };
}

const MOST_VARIABLES = 64;
const LONGEST = 256;

export function shownEnv(
  env: HookCommand["env"],
  hidden: Redactor,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env)
      .slice(0, MOST_VARIABLES)
      .map(([name, value]) => {
        const text = hidden.text(hidden.value(name, String(value)));
        return [name, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text];
      }),
  );
}

const sizeOf = (stdin: HookCommand["stdin"]): number =>
  typeof stdin === "string" || stdin instanceof Uint8Array ? Buffer.byteLength(stdin) : 0;

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
