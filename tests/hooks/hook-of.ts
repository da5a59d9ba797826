/** Hooks written in the language, as their plugin sees them. */

import type { Configuration } from "reeve/plugin";
import { load } from "../../daemon/config/load.js";
import { resolveSecrets } from "../../daemon/config/secrets.js";
import { ConfiguredBlock } from "../../daemon/config/values/block.js";
import { describeBlock } from "../../daemon/plugin-api/block.js";
import { render } from "../../grammar/render.js";
import type { blocks, HookBlock } from "../../plugins/hooks/blocks/blocks.js";
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

/** A whole configuration; every secret is `hunter22`. @throws with the rendered diagnostics. */
export async function configurationOf(
  text: string,
  generation = 1,
): Promise<Configuration<typeof blocks>> {
  const { program, diagnostics, sources } = await load(ROOT, {
    catalog: { bind: async () => ({ plugins: [hooks], diagnostics: [] }) },
    overlay: new Map([[ROOT, text]]),
  });
  if (!program) throw new Error(render(diagnostics, sources));
  const resolved = await resolveSecrets(program, async () => "hunter22");
  if (!resolved.program) throw new Error(render(resolved.diagnostics, sources));
  const all = [...resolved.program.blocks.values()].map((block) => new ConfiguredBlock(block));
  const of = (kind: string): never => all.filter((block) => block.kind === kind) as never;
  return {
    generation,
    blocks: {
      hook_server: of("hook_server"),
      hook: of("hook"),
      hooks_file: of("hooks_file"),
      schedule: of("schedule"),
      watch: of("watch"),
      task: of("task"),
      notify: of("notify"),
      ping: of("ping"),
    },
  };
}

/** The hook `x` with this body. */
export async function hookOf(body: string): Promise<HookBlock> {
  const { blocks } = await configurationOf(`hook "x" {\n${body}\n}\n`);
  return blocks.hook[0] as HookBlock;
}
