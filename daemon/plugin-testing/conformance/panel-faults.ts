/** What is wrong with panels, in sentences: they are data that every dashboard must be able to show. */
import { z } from "zod";

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const format = z.enum(["text", "number", "duration", "size", "ratio", "time", "state"]);
const base = { id: z.string().min(1), title: z.string().min(1) };

const panel = z.discriminatedUnion("kind", [
  z.strictObject({
    ...base,
    kind: z.literal("table"),
    columns: z.array(
      z.strictObject({
        id: z.string().min(1),
        title: z.string(),
        format: format.optional(),
        priority: z.number().optional(),
      }),
    ),
    rows: z.array(z.record(z.string(), cell)),
    omitted: z.int().min(0).optional(),
  }),
  z.strictObject({
    ...base,
    kind: z.literal("series"),
    unit: format.optional(),
    interval: z.number().positive(),
    series: z.array(z.strictObject({ name: z.string(), points: z.array(z.number()) })),
  }),
  z.strictObject({
    ...base,
    kind: z.literal("values"),
    entries: z.array(z.strictObject({ name: z.string(), value: cell, format: format.optional() })),
  }),
  z.strictObject({
    ...base,
    kind: z.literal("log"),
    lines: z.array(z.strictObject({ at: z.number(), level: z.string(), text: z.string() })),
  }),
]);

export function panelFaults(panels: unknown): readonly string[] {
  const read = z.array(panel).safeParse(panels);
  if (!read.success) {
    return read.error.issues.map(({ path, message }) => `panels[${path.join("][")}]: ${message}`);
  }
  const ids = read.data.map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [...twice.map((id) => `two panels have the id "${id}"`), ...read.data.flatMap(strayCells)];
}

/** Cells that no column shows. */
function strayCells(shown: z.infer<typeof panel>): readonly string[] {
  if (shown.kind !== "table") return [];
  const columns = new Set(shown.columns.map(({ id }) => id));
  const names = new Set(shown.rows.flatMap((row) => Object.keys(row)));
  return [...names]
    .filter((name) => !columns.has(name))
    .map((name) => `the table "${shown.id}" has cells "${name}" and no such column`);
}
