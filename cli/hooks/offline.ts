/** What hooks of a configuration on disk make of a request, without a daemon. */
import { randomUUID } from "node:crypto";
import { resolveSecrets } from "../../daemon/config/secrets.js";
import { ConfiguredBlock } from "../../daemon/config/values/block.js";
import { render } from "../../grammar/index.js";
import {
  explainBlock,
  explainFileHook,
  type HookExplanation,
  incomingOf,
  readHooks,
} from "../../plugins/hooks/offline.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { readText, shownPath } from "../project/files.js";
import { loadConfiguration, rootFile } from "../project/load.js";
import { unknownHook } from "./ask.js";
import type { RequestFields } from "./request-file.js";

/** @throws Failure where there is no such hook, or the configuration is invalid */
export async function explainOffline(
  file: string,
  name: string,
  request: RequestFields,
): Promise<HookExplanation> {
  if (/\.(json5?|ya?ml)$/.test(file) && !file.endsWith(".reeve.json")) {
    const hooks = await fileHooks(file, true);
    return hooks.explain(name, request) ?? missing(name, hooks.names);
  }
  const { program: checked, diagnostics, sources } = await loadConfiguration(rootFile(file));
  if (!checked) {
    const said = render(diagnostics, sources, { colour: false }).trimEnd();
    throw new Failure(Exit.configuration, `the configuration is invalid:\n${said}`);
  }
  const unread: string[] = [];
  const { program = checked } = await resolveSecrets(checked, async (reference) => {
    const [, variable] = /^env:(.+)$/.exec(reference) ?? [];
    const value = variable === undefined ? undefined : process.env[variable];
    if (value === undefined) unread.push(reference);
    return value ?? randomUUID();
  });
  const sender = unread.length === 0 ? "proves" : "unknown";
  const names: string[] = [];
  for (const block of program.blocks.values()) {
    if (block.plugin !== "hooks") continue;
    const [label = ""] = block.labels;
    if (block.kind === "hook") {
      names.push(label);
      if (label === name || block.key === name)
        return explainHookBlock(new ConfiguredBlock(block), request, sender);
    } else if (block.kind === "hooks_file") {
      const { path, strict } = block.values as { readonly path: string; readonly strict: boolean };
      const hooks = await fileHooks(path, strict);
      names.push(...hooks.names);
      const explanation = hooks.explain(name, request);
      if (explanation) return explanation;
    }
  }
  return missing(name, names);
}

function missing(name: string, names: readonly string[]): never {
  throw unknownHook(name, names);
}

type HookBlock = Parameters<typeof explainBlock>[0];

function explainHookBlock(
  block: ConfiguredBlock,
  request: RequestFields,
  sender: "proves" | "unknown",
): HookExplanation {
  const hook = block as unknown as HookBlock;
  const incoming = incomingOf({ ...request, hook: "" }, hook.values.methods, Date.now());
  return explainBlock(hook, incoming, sender);
}

async function fileHooks(path: string, strict: boolean) {
  const reading = readHooks(await readText(path), { strict });
  if (!reading.ok) {
    const [{ message, position: place }] = reading.complaints;
    const at = place === undefined ? "" : `:${place.line}:${place.column}`;
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
