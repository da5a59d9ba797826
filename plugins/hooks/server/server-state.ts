/** What an application asks of its server, and which hook a request is for. */
import type { Proxies } from "../decide/client-address.js";
import type { ServedHook } from "../file-hooks/hooks-file.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import type { PathMatch, PathPatterns } from "./path-patterns.js";
import type { PollState } from "./poll.js";
import type { RequestView } from "./request-view.js";

/** Asked anew for every request: edits change the answers, not the application. */
export interface ServerState extends PollState {
  /** `/hooks`; `/` for none. */
  readonly prefix: string;
  /** By the path behind the prefix. Another map after every edit. */
  readonly hooks: ReadonlyMap<string, HookRuntime>;
  /** Those whose path has parameters. */
  readonly patterns: PathPatterns<HookRuntime>;
  /** Of hook files, by id; hooks of the language come first. */
  fileHook(id: string): ServedHook | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Whether clients show who they are when they connect. */
  readonly asksForCertificates: boolean;
  /** Whose requests are looked at; everybody's where it is left out. */
  readonly allowFrom: readonly string[] | undefined;
  /** Who may say where a request comes from. */
  readonly proxies: Proxies | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly stopping: boolean;
  /** Tells that somebody asked for what is not there. */
  countUnmatched(): void;
  /** Tells about an error of ours. */
  reportError(thrown: unknown): void;
}

/** The hook whose path is what stands behind the prefix. */
export const hookOf = (state: ServerState, view: RequestView): HookRuntime | undefined =>
  foundFor(state, view).hook;

/** Of the hook that answers; nothing where its path is literal. */
export const parametersOf = (
  state: ServerState,
  view: RequestView,
): PathMatch<HookRuntime>["parameters"] | undefined => foundFor(state, view).parameters;

/** Looked for again where an edit has changed what there is since. */
function foundFor(state: ServerState, view: RequestView): NonNullable<RequestView["found"]> {
  const before = view.found;
  if (before && before.among === state.hooks) return before;
  const now = { among: state.hooks, ...find(state, view.behind) };
  view.found = now;
  return now;
}

/** `written` as sent, behind the prefix and its slash. */
export const hookAt = (
  state: Pick<ServerState, "hooks" | "patterns">,
  written: string | undefined,
): HookRuntime | undefined => find(state, written).hook;

function find(
  { hooks, patterns }: Pick<ServerState, "hooks" | "patterns">,
  written: string | undefined,
): Pick<NonNullable<RequestView["found"]>, "hook" | "parameters"> {
  const name = decoded(written);
  const hook = name === undefined ? undefined : hooks.get(name);
  if (hook) return { hook, parameters: undefined };
  const match = written === undefined || patterns.size === 0 ? undefined : patterns.find(written);
  return { hook: match?.value, parameters: match?.parameters };
}

export function fileHookOf(state: ServerState, { behind }: RequestView): ServedHook | undefined {
  const name = decoded(behind);
  return name === undefined ? undefined : state.fileHook(name);
}

function decoded(written: string | undefined): string | undefined {
  if (!written?.includes("%")) return written;
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}
