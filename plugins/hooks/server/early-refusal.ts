/** What the head of a request alone refuses: what cannot succeed is not worth receiving. */
import { clientNetwork } from "reeve/plugin";
import { isInNetworks } from "../decide/client-address.js";
import {
  accepts,
  addressRefusal,
  earlyRefusal as hookRefusal,
  networkRefusal,
  notAllowed,
} from "../decide/decide.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { isPreflight, preflightRefusal } from "./cors.js";
import { decoded, type HookMatch } from "./find-hook.js";
import type { HookServer } from "./hook-server.js";
import { type Poll, pollRefusal } from "./poll.js";
import type { RequestView } from "./request-view.js";

export interface EarlyRefusal {
  readonly refusal: Refusal;
  /** Absent where no hook is found. */
  readonly hook?: HookRuntime;
}

interface Head {
  readonly request: RequestView;
  readonly remoteIp: string | undefined;
  readonly poll: () => Poll | undefined;
  readonly match: () => HookMatch;
}

export function earlyRefusal(
  { stopping, allowFrom }: HookServer,
  { request, remoteIp, poll: pollOf, match }: Head,
): EarlyRefusal | undefined {
  if (stopping) {
    const headers = { "retry-after": "10" };
    return { refusal: refuse("stopping", "The daemon is stopping.", { headers }) };
  }
  if (decoded(request.path) === undefined) return { refusal: BAD_PATH };
  if (allowFrom && !isInNetworks(remoteIp, allowFrom)) {
    return { refusal: addressRefusal(remoteIp) };
  }
  const poll = pollOf();
  if (poll) {
    const refusal = networkRefusal(remoteIp, poll.hook.block) ?? pollRefusal(request.method);
    return refusal && { refusal, hook: poll.hook };
  }
  const found = match();
  const { hook } = found;
  if (!hook) return found.file ? undefined : { refusal: unknownHook() };
  const refusal = refusalOf(hook, found, request, remoteIp);
  return refusal && { refusal, hook };
}

/** `hook`: the first candidate. */
function refusalOf(
  hook: HookRuntime,
  { placed, candidates }: HookMatch,
  request: RequestView,
  remoteIp: string | undefined,
): Refusal | undefined {
  const { block } = hook;
  const { method } = request;
  if (isPreflight(request, block)) {
    return networkRefusal(remoteIp, block) ?? preflightRefusal(request, block);
  }
  if (placed.length > 1 && !accepts(block, method)) {
    const methods = placed.flatMap(({ value }) => value.block.values.methods);
    return notAllowed([...new Set(methods)]);
  }
  if (candidates.length > 1) {
    const refusals = candidates.map(({ value }) => networkRefusal(remoteIp, value.block));
    return refusals.every((each) => each) ? refusals[0] : undefined;
  }
  return hookRefusal({ method, remoteIp }, block) ?? addressLimit(hook, remoteIp);
}

/** A limit with a key of its own counts verified requests instead. */
export function addressLimit(
  { block, admission: { rateLimit } }: HookRuntime,
  remoteIp: string | undefined,
): Refusal | undefined {
  const { limit } = block.values;
  if (limit?.values.key !== undefined) return undefined;
  return rateLimit.exceeded(limit, clientNetwork(remoteIp ?? ""));
}

export const BAD_PATH = refuse("bad_request", "The path has an invalid escape.");

export const unknownHook = (): Refusal =>
  refuse("unknown_hook", "There is no hook at this address.");
