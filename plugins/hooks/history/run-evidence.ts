/** What is kept with a run of what led to it. */
import type { HookBlock } from "../blocks/blocks.js";
import type { RequestScope } from "../blocks/request.js";
import type { Command } from "../decide/command.js";
import type { Incoming } from "../decide/incoming.js";
import type { RunTrigger, Step } from "./api.js";
import type { Redactor } from "./redactor.js";
import { acceptedSteps, hiddenOf } from "./steps.js";
import { storeRequest } from "./stored-request.js";

export interface RunEvidence {
  /** For the run's record. */
  readonly askedFor: RunTrigger;
  /** What may be shown of a text that is made of the request. */
  readonly hide: (text: string) => string;
}

export interface RequestContext {
  /** Milliseconds since the epoch. */
  readonly received: number;
  /** Milliseconds that the body took to arrive. */
  readonly read: number;
  readonly decided: number;
  readonly byHand?: true;
  readonly replayOf?: string;
}

export function accountOf(
  request: Incoming,
  hook: HookBlock,
  decided: { readonly scope: RequestScope; readonly command: Command },
  circumstances: RequestContext,
): RunEvidence {
  const hidden = hiddenOf(hook);
  const shown = storeRequest(request, hidden);
  const sender = circumstances.byHand ? "trusted" : "proves";
  const decision = acceptedSteps(request, hook, decided.scope, hidden, sender);
  return account({ hook, hidden, shown, decision, command: decided.command, circumstances });
}

export function account({
  hook,
  hidden,
  shown,
  decision,
  command: { env, stdin },
  circumstances,
}: {
  readonly hook: HookBlock;
  readonly hidden: Redactor;
  readonly shown: RunTrigger["request"];
  readonly decision: readonly Step[];
  readonly command: Pick<Command, "env" | "stdin">;
  readonly circumstances: RequestContext;
}): RunEvidence {
  const { received, read, decided, byHand, replayOf } = circumstances;
  return {
    askedFor: {
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

export function shownEnv(env: Command["env"], hidden: Redactor): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env)
      .slice(0, MOST_VARIABLES)
      .map(([name, value]) => {
        const text = hidden.text(hidden.value(name, String(value)));
        return [name, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text];
      }),
  );
}

const sizeOf = (stdin: Command["stdin"]): number =>
  typeof stdin === "string" || stdin instanceof Uint8Array ? Buffer.byteLength(stdin) : 0;

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
