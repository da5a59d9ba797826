/** The hooks of a server by path: made while a configuration is prepared, so that the commit only puts it in place. */
import { inTurns } from "reeve/plugin";
import { inOrder, pathOf } from "./assign.js";
import type { HookBlock } from "./blocks/blocks.js";
import type { HookRuntime } from "./runs/hook-runtime.js";
import type { HookServer, PlacedHook } from "./server/hook-server.js";
import { hasParameters, PathPatterns } from "./server/path-patterns.js";

/** Literal paths below the prefix, and patterns with parameters. */
export type PathTable = Pick<HookServer, "hooks" | "patterns">;

export async function tableOf(
  blocks: readonly HookBlock[],
  hooks: ReadonlyMap<string, HookRuntime>,
): Promise<PathTable> {
  const literal = new Map<string, PlacedHook[]>();
  const patterns = new PathPatterns<HookRuntime>();
  await inTurns(inOrder(blocks), (block) => {
    const hook = hooks.get(block.key);
    const path = pathOf(block);
    if (hook && hasParameters(path)) patterns.add(path, hook);
    else if (hook) literal.set(path, [...(literal.get(path) ?? []), { value: hook }]);
  });
  return { hooks: literal, patterns };
}
