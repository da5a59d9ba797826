/** The checks of a hook as steps for the operator. */
import type { HookBlock, VerifyBlock } from "../blocks/blocks.js";
import type { HookScope } from "../blocks/request.js";
import { readBody } from "../decide/body.js";
import { isInNetworks } from "../decide/client-address.js";
import { commandOf, type HookCommand } from "../decide/command.js";
import { bodyRefusal, methodRefusal } from "../decide/decide.js";
import { type Incoming, scopeOf } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import { proofRefusal } from "../decide/verify/verify.js";
import type { DecisionStep } from "./api.js";
import { Redactor } from "./redactor.js";
import { shownTree } from "./tree.js";

/** Hides the headers that this hook verifies. */
export const hookRedactor = (hook: HookBlock, secrets: readonly string[] = []): Redactor =>
  new Redactor(
    hook.values.verify.flatMap(({ values: { header } }) => header?.toLowerCase() ?? []),
    secrets,
  );

const isProof = (rule: VerifyBlock, request: Incoming): boolean =>
  proofRefusal(request, [rule]) === undefined;

/** `proves`: verified; `trusted`: through the control socket; `unknown`: the secrets are not available. */
export type Sender = "proves" | "trusted" | "unknown";

/** The steps of an accepted request; only the condition is evaluated again. */
export function acceptedSteps(
  request: Incoming,
  hook: HookBlock,
  scope: HookScope,
  hidden: Redactor,
  sender: Sender,
): readonly DecisionStep[] {
  const { verify, when } = hook.values;
  const held = verify.length < 2 ? verify[0] : verify.find((rule) => isProof(rule, request));
  return [
    SENDERS[sender] ?? senderStep(verify, held),
    { what: "body", holds: true, says: bodyText(request, scope) },
    ...(when ? [conditionStep(when, scope, hidden)] : []),
  ];
}

/** All steps that can be evaluated, even after a failed one. */
export function allSteps(
  request: Incoming,
  hook: HookBlock,
  hidden: Redactor,
  sender: Sender,
): { readonly steps: readonly DecisionStep[]; readonly command?: HookCommand } {
  const { verify, when, parse } = hook.values;
  const steps: DecisionStep[] = [];
  const method = methodRefusal(request.method, hook);
  steps.push(step("method", method, request.method));
  const early = bodyRefusal(request);
  const held = sender === "proves" ? verify.find((rule) => isProof(rule, request)) : undefined;
  const { allow_from: networks } = hook.values;
  if (networks && sender === "proves" && !isInNetworks(request.remoteIp, networks)) {
    const says = `${request.remoteIp ?? "an unknown address"} is not in \`allow_from\``;
    steps.push({ what: "sender", holds: false, says });
  }
  const absent = held || sender !== "proves" ? [] : absentHeaders(request, verify);
  steps.push(SENDERS[sender] ?? senderStep(verify, held, absent));
  if (early) return { steps: [...steps, step("body", early, "")] };
  const body = readBody(request.headers, request.body, parse, request.bodyLimit);
  if (!body.ok) return { steps: [...steps, step("body", body.refusal, "")] };
  const scope = scopeOf(request, body);
  steps.push({ what: "body", holds: true, says: bodyText(request, scope) });
  if (when) steps.push(conditionStep(when, scope, hidden));
  const command = commandOf(hook, scope, request.body);
  if ("reason" in command) return { steps: [...steps, step("command", command, "")] };
  const { argv } = command;
  steps.push({ what: "command", holds: true, says: hidden.text(argv.map(shellQuoted).join(" ")) });
  return { steps, command };
}

const SENDERS: Readonly<Record<Sender, DecisionStep | undefined>> = {
  proves: undefined,
  trusted: {
    what: "sender",
    holds: true,
    says: "started through the control socket, without verification",
  },
  unknown: {
    what: "sender",
    holds: true,
    says: "not verified: the secrets or keys are not available here",
  },
};

function step(
  what: DecisionStep["what"],
  refusal: Refusal | undefined,
  fine: string,
): DecisionStep {
  return { what, holds: refusal === undefined, says: refusal?.detail ?? fine };
}

/** Lower-case names of the headers that the rules read and the request lacks. */
function absentHeaders(request: Incoming, verify: readonly VerifyBlock[]): readonly string[] {
  const absent = new Set<string>();
  const headers = new Proxy(request.headers, {
    getOwnPropertyDescriptor(target, name) {
      if (typeof name === "string" && !Object.hasOwn(target, name)) absent.add(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  proofRefusal({ ...request, headers }, verify);
  return [...absent];
}

function senderStep(
  verify: readonly VerifyBlock[],
  held: VerifyBlock | undefined,
  absent: readonly string[] = [],
): DecisionStep {
  if (verify.length === 0) {
    return { what: "sender", holds: true, says: "any sender: there is no `verify`" };
  }
  if (held) return { what: "sender", holds: true, says: `${shown(held)} holds` };
  const tried = verify.map(shown).join(", ");
  const lacks =
    absent.length === 0
      ? ""
      : `; the request has no ${absent.map((name) => `\`${name}\``).join(", ")}`;
  return { what: "sender", holds: false, says: `not verified: ${tried} does not hold${lacks}` };
}

const shown = ({ label, values: { header } }: VerifyBlock): string =>
  `\`verify "${label}"\`${header === undefined ? "" : ` (${header})`}`;

function bodyText({ body, headers }: Incoming, scope: HookScope): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  const size = `${body.length} bytes`;
  const named = type.trim() === "" ? size : `${size} of ${type.trim()}`;
  if (body.length === 0) return "empty";
  return "payload" in scope ? `${named}, decoded as \`payload\`` : named;
}

function conditionStep(
  when: NonNullable<HookBlock["values"]["when"]>,
  scope: HookScope,
  hidden: Redactor,
): DecisionStep {
  const tree = shownTree(when.explain(scope), hidden);
  return { what: "when", holds: tree.outcome === "true", says: `it is ${tree.outcome}`, tree };
}

/** Quoted for a shell. */
export const shellQuoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
