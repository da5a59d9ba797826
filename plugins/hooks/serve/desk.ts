/** What an application asks of its server, and which hook a request is for. */
import type { Proxies } from "../decide/client-address.js";
import type { ServedHook } from "../files/hooks-file.js";
import type { RunningHook } from "../run/running-hook.js";
import { type Asked, pathBehind } from "./asked.js";
import type { PathMatch, PathPatterns } from "./path-patterns.js";
import type { PollDesk } from "./poll.js";

/** Asked anew for every request: edits change the answers, not the application. */
export interface Desk extends PollDesk {
  /** `/hooks`; `/` for none. */
  readonly prefix: string;
  /** By the path behind the prefix. */
  readonly hooks: ReadonlyMap<string, RunningHook>;
  /** Those whose path has parameters. */
  readonly patterns: PathPatterns<RunningHook>;
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
  strayed(): void;
  /** Tells about an error of ours. */
  broke(thrown: unknown): void;
}

/** The hook whose path is what stands behind the prefix. */
export const hookOf = (desk: Desk, asked: Asked): RunningHook | undefined =>
  hookAt(desk, pathBehind(desk.prefix, asked));

/** `written` as sent, behind the prefix and its slash. */
export function hookAt(
  desk: Pick<Desk, "hooks" | "patterns">,
  written: string | undefined,
): RunningHook | undefined {
  const name = decoded(written);
  const literal = name === undefined ? undefined : desk.hooks.get(name);
  return literal ?? matchOf(desk, written)?.value;
}

/** Of the hook that answers; nothing where its path is literal. */
export function parametersOf(
  desk: Desk,
  asked: Asked,
): PathMatch<RunningHook>["parameters"] | undefined {
  const match = matchOf(desk, pathBehind(desk.prefix, asked));
  return match && hookOf(desk, asked) === match.value ? match.parameters : undefined;
}

export function fileHookOf(desk: Desk, asked: Asked): ServedHook | undefined {
  const name = decoded(pathBehind(desk.prefix, asked));
  return name === undefined ? undefined : desk.fileHook(name);
}

function matchOf(
  { patterns }: Pick<Desk, "patterns">,
  written: string | undefined,
): PathMatch<RunningHook> | undefined {
  return written === undefined || patterns.size === 0 ? undefined : patterns.find(written);
}

function decoded(written: string | undefined): string | undefined {
  if (!written?.includes("%")) return written;
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}
