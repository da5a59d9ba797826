/** A program and a plan as text, for comparing. */
import type { BlockDescriptor } from "../../plugin-api/descriptor.js";
import { blockHeader } from "../keys.js";
import type { Plan, Program } from "../program.js";
import { toSource } from "../values/as-written.js";
import { ConfiguredBlock } from "../values/block.js";
import { renderValue } from "../values/render.js";

export function outlineOf(program: Program): string {
  const blocks = [...program.blocks.values()].map((block) => {
    const doc = block.doc === undefined ? "" : `## ${block.doc}\n`;
    const body = valuesOf(block.values, block.descriptor, "  ");
    return `${doc}${blockHeader(block.kind, block.labels)}\n${body}`;
  });
  return blocks.join("");
}

function valuesOf(
  values: Readonly<Record<string, unknown>>,
  descriptor: BlockDescriptor,
  indent: string,
): string {
  const lines = Object.entries(values).flatMap(([name, value]) => {
    const nested = descriptor.blocks[name];
    const blocks = (Array.isArray(value) ? value : [value]).filter(
      (each) => each instanceof ConfiguredBlock,
    );
    if (nested) {
      return blocks.map(
        (block) =>
          `${indent}${blockHeader(block.kind, block.labels)}\n${valuesOf(block.values, nested, `${indent}  `)}`,
      );
    }
    if (value === undefined) return [];
    const type = descriptor.attributes[name]?.type;
    return [`${indent}${name} = ${renderValue(toSource(value, type), 160)}\n`];
  });
  return lines.join("");
}

const signs = { unchanged: "=", updated: "~", replaced: "!", added: "+", removed: "-" } as const;

export function outlineOfPlan({ changes, settings = [], needsRestart }: Plan): string {
  const lines = changes.flatMap(({ key, action, reasons }) => [
    `${signs[action]} ${key} ${action}`,
    ...reasons.map(
      ({ path, reload, before, after }) =>
        `    ${path}: ${before ?? "(none)"} -> ${after ?? "(none)"} (${reload})`,
    ),
  ]);
  const own = settings.map(({ path, before, after }) => `~ daemon ${path}: ${before} -> ${after}`);
  const restart = needsRestart.map((path) => `needs a restart: ${path}`);
  return [...lines, ...own, ...restart].map((line) => `${line}\n`).join("");
}
