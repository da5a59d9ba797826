/** The blocks of a configuration on disk, for commands that work without a daemon. */
import { randomUUID } from "node:crypto";
import { resolveSecrets } from "../../daemon/config/secrets.js";
import { ConfiguredBlock } from "../../daemon/config/values/block.js";
import { render } from "../../grammar/index.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { loadConfiguration, rootFile } from "./load.js";

export interface ConfigurationBlocks {
  /** Of one plugin, in source order. */
  readonly blocks: readonly ConfiguredBlock[];
  /** References of secrets that the environment does not have; their values are random. */
  readonly missingSecrets: readonly string[];
}

/** @throws Failure where the configuration is invalid */
export async function readBlocks(file: string, plugin: string): Promise<ConfigurationBlocks> {
  const { program: checked, diagnostics, sources } = await loadConfiguration(rootFile(file));
  if (!checked) {
    const text = render(diagnostics, sources, { colour: false }).trimEnd();
    throw new Failure(Exit.configuration, `the configuration is invalid:\n${text}`);
  }
  const missingSecrets: string[] = [];
  const { program = checked } = await resolveSecrets(checked, async (reference) => {
    const [, variable] = /^env:(.+)$/.exec(reference) ?? [];
    const value = variable === undefined ? undefined : process.env[variable];
    if (value === undefined) missingSecrets.push(reference);
    return value ?? randomUUID();
  });
  const blocks = [...program.blocks.values()]
    .filter((block) => block.plugin === plugin)
    .map((block) => new ConfiguredBlock(block));
  return { blocks, missingSecrets };
}
