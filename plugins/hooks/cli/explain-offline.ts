/** Explains a request by the configuration or hooks file on disk, without a daemon. */
import { Exit, Failure, readBlocks, readText, shownPath } from "reeve/cli";
import { readHooks } from "../compat/file/read.js";
import { explainBlock, explainFileHook, needsTokens, rivalsAmong } from "../control/explain.js";
import { incomingOf } from "../control/manual-trigger.js";
import type { HookExplanation } from "../evidence/api.js";
import type { RequestFields } from "./request-file.js";
import { unknownHook } from "./requests.js";

type HookBlock = Parameters<typeof explainBlock>[0];

/** @throws Failure where there is no such hook, or the configuration is invalid */
export async function explainOffline(
  file: string,
  name: string,
  request: RequestFields,
): Promise<HookExplanation> {
  if (/\.(json5?|ya?ml)$/.test(file) && !file.endsWith(".reeve.json")) {
    const hooks = await fileHooks(file, true);
    const explanation = hooks.explain(name, request);
    if (explanation) return explanation;
    throw unknownHook(name, hooks.names);
  }
  const { blocks, missingSecrets } = await readBlocks(file, "hooks");
  const sender = missingSecrets.length === 0 ? "proves" : "unknown";
  const names: string[] = [];
  for (const block of blocks) {
    if (block.kind === "hook") {
      names.push(block.label ?? "");
      if (block.label !== name && block.key !== name) continue;
      const hook = block as unknown as HookBlock;
      const incoming = incomingOf({ ...request, hook: "" }, hook.values.methods, Date.now());
      // Only the daemon fetches keys.
      const context = { rivals: rivalsAmong(hook, blocks as unknown as readonly HookBlock[]) };
      return explainBlock(hook, incoming, needsTokens(hook) ? "unknown" : sender, context);
    }
    if (block.kind !== "hooks_file") continue;
    const { path, strict } = block.values as { readonly path: string; readonly strict: boolean };
    const hooks = await fileHooks(path, strict);
    names.push(...hooks.names);
    const explanation = hooks.explain(name, request);
    if (explanation) return explanation;
  }
  throw unknownHook(name, names);
}

async function fileHooks(path: string, strict: boolean) {
  const reading = readHooks(await readText(path), { strict });
  if (!reading.ok) {
    const [{ message, position }] = reading.complaints;
    const at = position === undefined ? "" : `:${position.line}:${position.column}`;
    throw new Failure(Exit.configuration, `${shownPath(path)}${at}: ${message}`);
  }
  const { hooks } = reading;
  return {
    names: hooks.map(({ id }) => id),
    explain: (name: string, request: RequestFields): HookExplanation | undefined => {
      const hook = hooks.find(({ id }) => id === name);
      if (!hook) return undefined;
      const incoming = incomingOf({ ...request, hook: name }, hook.methods, Date.now());
      return explainFileHook({ hook, strict }, incoming, "proves");
    },
  };
}
