/** Finds the hook of a path. */
import type { HookRuntime } from "../runs/hook-runtime.js";
import type { FileHookTarget, HookServer } from "./hook-server.js";
import type { PathMatch } from "./path-patterns.js";

export interface HookMatch {
  /** The table that was searched. */
  readonly hooks: HookServer["hooks"];
  readonly hook: HookRuntime | undefined;
  readonly file: FileHookTarget | undefined;
  /** Of a path with parameters. */
  readonly parameters: PathMatch<HookRuntime>["parameters"] | undefined;
}

/** Blocks come before hooks of files, literal paths before patterns. */
export function findHook(server: HookServer, path: string | undefined): HookMatch {
  const { hooks, patterns } = server;
  const name = path === undefined ? undefined : decoded(path);
  const literal = name === undefined ? undefined : hooks.get(name);
  const match = literal || path === undefined ? undefined : patterns.find(path);
  const hook = literal ?? match?.value;
  const file = hook || name === undefined ? undefined : server.fileHook(name);
  return { hooks, hook, file, parameters: match?.parameters };
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
