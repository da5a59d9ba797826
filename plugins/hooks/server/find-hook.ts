/** Finds the hooks of a path, and the one or those that accept the method. */
import { accepts } from "../decide/decide.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import type { FileHookTarget, HookServer, PlacedHook } from "./hook-server.js";

export interface HookMatch {
  /** The table that was searched. */
  readonly hooks: HookServer["hooks"];
  /** All of the path, in order. */
  readonly placed: readonly PlacedHook[];
  /** Those that accept the method; the first of the path where none does. */
  readonly candidates: readonly PlacedHook[];
  /** The first candidate. */
  readonly hook: HookRuntime | undefined;
  readonly file: FileHookTarget | undefined;
}

/** `requested`: the method in a preflight request. */
interface Wanted {
  readonly method: string;
  readonly requested?: string | undefined;
}

/** Blocks come before hooks of files, literal paths before patterns. */
export function findHook(server: HookServer, path: string | undefined, wanted: Wanted): HookMatch {
  const { hooks } = server;
  const name = path === undefined ? undefined : decoded(path);
  const placed = placedAt(server, path, name);
  const candidates = placed.length < 2 ? placed : candidatesOf(placed, wanted);
  const hook = candidates[0]?.value;
  const file = hook || name === undefined ? undefined : server.fileHook(name);
  return { hooks, placed, candidates, hook, file };
}

export function placedAt(
  { hooks, patterns }: HookServer,
  path: string | undefined,
  name = path === undefined ? undefined : decoded(path),
): readonly PlacedHook[] {
  const literal = name === undefined ? undefined : hooks.get(name);
  return literal ?? (path === undefined ? [] : patterns.find(path));
}

function candidatesOf(
  placed: readonly PlacedHook[],
  { method, requested }: Wanted,
): readonly PlacedHook[] {
  const accepting = placed.filter(({ value }) => accepts(value.block, method));
  if (accepting.length > 0) return accepting;
  const shared = placed.filter(({ value: { block } }) => block.values.cors !== undefined);
  const permitting = shared.find(
    ({ value }) => requested !== undefined && accepts(value.block, requested),
  );
  return [permitting ?? shared[0] ?? placed[0]].flatMap((each) => each ?? []);
}

/** `undefined` for an invalid escape. */
export function decoded(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
