/** What plugins report about a configuration, as diagnostics with the block and the expansion that led there. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import type { Range } from "../plugin-api/values.js";
import { blockHeader } from "./keys.js";
import type { PluginReport, ProgramBlock } from "./program.js";

export function diagnosticOf(
  plugin: string,
  { range, message, severity, code, help, host }: PluginReport,
  blocks: Iterable<ProgramBlock>,
): Diagnostic {
  return {
    code: `${plugin}.${code}`,
    severity,
    message,
    location: range,
    ...(help === undefined ? {} : { help }),
    ...(host && { host: true as const }),
    ...contextOf(blockAt(range, blocks)),
  };
}

/** The block that a diagnostic is about, and its expansion. */
export function contextOf(block: ProgramBlock | undefined): Partial<Diagnostic> {
  if (!block) return {};
  return {
    subject: blockHeader(block.kind, block.labels),
    ...(block.trace.length === 0 ? {} : { trace: block.trace }),
  };
}

export function blockAt(range: Range, blocks: Iterable<ProgramBlock>): ProgramBlock | undefined {
  for (const block of blocks) {
    for (const { file, start, end } of block.ranges.values()) {
      if (file === range.file && start === range.start && end === range.end) return block;
    }
  }
  return undefined;
}
