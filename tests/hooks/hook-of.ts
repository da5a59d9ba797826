/** Hooks written in the language, as their plugin sees them. */
import { load } from "../../daemon/config/load.js";
import { resolveSecrets } from "../../daemon/config/secrets.js";
import { ConfiguredBlock } from "../../daemon/config/values/block.js";
import { describeBlock } from "../../daemon/plugin-api/block.js";
import { render } from "../../grammar/render.js";
import type { HookBlock } from "../../plugins/hooks/blocks/blocks.js";
import plugin from "../../plugins/hooks/plugin.js";

const ROOT = "/configuration/main.reeve";

const hooks = {
  description: {
    id: plugin.id,
    title: plugin.title,
    api: plugin.api,
    blocks: Object.fromEntries(
      Object.entries(plugin.blocks).map(([kind, schema]) => [kind, describeBlock(schema)]),
    ),
    functions: {},
    permissions: {},
    isolation: { default: "inline", supports: ["inline"] },
  },
  namespace: undefined,
  validate: async () => [],
  call: async () => null,
} as const;

/** The hook `x` with this body; `secret("env:S")` is `hunter22`. @throws with the rendered diagnostics. */
export async function hookOf(body: string): Promise<HookBlock> {
  const text = `hook "x" {\n${body}\n}\n`;
  const { program, diagnostics, sources } = await load(ROOT, {
    catalog: { bind: async () => ({ plugins: [hooks], diagnostics: [] }) },
    overlay: new Map([[ROOT, text]]),
  });
  if (!program) throw new Error(render(diagnostics, sources));
  const resolved = await resolveSecrets(program, async () => "hunter22");
  const block = resolved.program?.blocks.get("hook.x");
  if (!block) throw new Error(render(resolved.diagnostics, sources));
  return new ConfiguredBlock(block) as unknown as HookBlock;
}
