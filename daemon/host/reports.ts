/** What plugins say about a configuration, as diagnostics with the block and the expansion that led there. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { createDiagnostic } from "../config/diagnose.js";
import { blockHeader } from "../config/keys.js";
import type { PluginReport, ProgramBlock } from "../config/program.js";
import { ConfiguredBlock } from "../config/values/block.js";
import { errorMessage } from "../errors.js";
import type { Range } from "../plugin-api/values.js";

export function diagnosticOf(
  plugin: string,
  { range, message, severity, code, help }: PluginReport,
  blocks: Iterable<ProgramBlock>,
): Diagnostic {
  return {
    code: `${plugin}.${code}`,
    severity,
    message,
    location: range,
    ...(help === undefined ? {} : { help }),
    ...contextOf(blockAt(range, blocks)),
  };
}

/** About a plugin as a whole: the first of its blocks that changed stands for it. */
export function pluginDiagnostic(
  code: string,
  message: string,
  block: ProgramBlock | undefined,
  help?: string,
): Diagnostic {
  const location = block && new ConfiguredBlock(block).range;
  return { ...createDiagnostic(code, location, message, { help }), ...contextOf(block) };
}

/** "the plugin `x` cannot …: why", without a full stop. */
export const failureMessage = (what: string, thrown: unknown): string =>
  `${what}: ${errorMessage(thrown).replace(/\.$/, "")}`;

function contextOf(block: ProgramBlock | undefined): Partial<Diagnostic> {
  if (!block) return {};
  return {
    subject: blockHeader(block.kind, block.labels),
    ...(block.trace.length === 0 ? {} : { trace: block.trace }),
  };
}

function blockAt(range: Range, blocks: Iterable<ProgramBlock>): ProgramBlock | undefined {
  for (const block of blocks) {
    for (const { file, start, end } of block.ranges.values()) {
      if (file === range.file && start === range.start && end === range.end) return block;
    }
  }
  return undefined;
}
