/** A plugin's part of a program as the plugin sees it. */

import type { PluginReport, ProgramBlock } from "../../config/program.js";
import { ConfiguredBlock } from "../../config/values/block.js";
import type { Configuration, PrepareAttempt, ReportOptions } from "../../plugin-api/plugin.js";
import type { Block, Range } from "../../plugin-api/values.js";

/** Every kind is there, even without blocks. */
export function configurationOf(
  kinds: readonly string[],
  generation: number,
  blocks: readonly Block[],
): Configuration {
  const byKind = new Map<string, Block[]>(kinds.map((kind) => [kind, []]));
  for (const block of blocks) byKind.get(block.kind)?.push(block);
  return { generation, blocks: Object.fromEntries(byKind) } as Configuration;
}

export const viewOf = (block: ProgramBlock): ConfiguredBlock => new ConfiguredBlock(block);

/** Takes a plugin's complaints while it prepares. */
export class Reports {
  readonly list: PluginReport[] = [];

  attempt(changes: PrepareAttempt["changes"], signal: AbortSignal): PrepareAttempt {
    return { changes, signal, report: this.report };
  }

  get refused(): boolean {
    return this.list.some(({ severity }) => severity === "error");
  }

  readonly report = (range: Range, message: string, options: ReportOptions = {}): void => {
    const { severity = "error", code = "refused", help, host, keeps } = options;
    const text = withoutStop(message);
    this.list.push({ range, message: text, severity, code, help, host, keeps });
  };
}

/** Diagnostics are sentences without a full stop; authors write either. */
const withoutStop = (message: string): string => message.replace(/\.$/, "");
