/** A whole block: every attribute with its value and where that is written. */
import { explainValue } from "../../../daemon/config/explain/explain.js";
import type { BlockKey, Program } from "../../../daemon/config/program.js";
import type { Channel } from "../../plugin-api/output.js";
import { pad } from "../../print/text.js";
import { type SourceTexts, where } from "./render.js";

export function renderBlock(
  program: Program,
  key: BlockKey,
  texts: SourceTexts,
  { paint }: Pick<Channel, "paint">,
): string {
  const { descriptor, values, doc } = program.blocks.get(key) as NonNullable<
    ReturnType<Program["blocks"]["get"]>
  >;
  const nested = Object.keys(descriptor.blocks).filter((kind) => isPresent(values[kind]));
  const rows = [...Object.keys(descriptor.attributes), ...nested].flatMap((name) => {
    const found = explainValue(program, `${key}.${name}`);
    if ("problem" in found || (found.value === "null" && values[name] === undefined)) return [];
    const [{ kind, location } = { kind: "block" as const }] = found.origin;
    const at = kind === "default" ? "by default" : where(location ?? found.location, texts);
    return [{ name, value: found.value, at }];
  });
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const column = Math.max(0, ...rows.map(({ at }) => at.length));
  return [
    paint("bold", key),
    ...(doc ?? descriptor.doc ?? "").split("\n").map((line) => (line === "" ? "" : `  ${line}`)),
    ...((doc ?? descriptor.doc) ? [""] : []),
    ...rows.map(
      ({ name, value, at }) =>
        `  ${paint("cyan", pad(at, column))}  ${pad(name, width)} = ${value}`,
    ),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

const isPresent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined;
