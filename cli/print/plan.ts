/** A plan as people read it: what changes, attribute by attribute, and how much is left alone. */
import type { Change, ChangeAction, ChangeReason, Plan } from "../../daemon/config/program.js";
import type { Channel, Style } from "../plugin-api/output.js";
import { countText } from "./units.js";

const SIGNS: Readonly<Record<Exclude<ChangeAction, "unchanged">, string>> = {
  added: "+",
  updated: "~",
  replaced: "!",
  removed: "-",
};

const STYLES: Readonly<Record<Exclude<ChangeAction, "unchanged">, Style>> = {
  added: "ok",
  updated: "warn",
  replaced: "accent",
  removed: "fail",
};

const NOTES: Readonly<Record<Exclude<ChangeAction, "unchanged">, string>> = {
  added: "is added",
  updated: "is updated while it runs",
  replaced: "is replaced by a new one",
  removed: "is removed",
};

/** What a change of an attribute asks for, where it is more than taking over the value. */
const ASKS: Readonly<Record<ChangeReason["reload"], string>> = {
  live: "",
  restart: "  # replaces the block",
  daemon: "  # only a new daemon takes this over",
};

export interface PlanOptions {
  readonly paint: Channel["paint"];
  /** The doc comment of a block, where it is known. */
  readonly docOf?: (key: string) => string | undefined;
}

/** Lines, each with its end. Blocks that stay are counted, not listed. */
export function renderPlan(plan: Plan, { paint, docOf }: PlanOptions): string {
  const lines = plan.changes.flatMap((change) => changeLines(change, paint, docOf?.(change.key)));
  if (plan.settings) {
    lines.push(paint("warn", "~ daemon is updated while it runs"), ...reasonLines(plan.settings));
  }
  const body = lines.length === 0 ? [] : [...lines, ""];
  return [...body, summaryOf(plan), ...restartOf(plan)].map((line) => `${line}\n`).join("");
}

/** Whether anything would be different. */
export const changesAnything = ({ changes, settings = [] }: Plan): boolean =>
  settings.length > 0 || changes.some(({ action }) => action !== "unchanged");

function changeLines(
  { key, action, reasons }: Change,
  paint: Channel["paint"],
  doc: string | undefined,
): readonly string[] {
  if (action === "unchanged") return [];
  const [about] = doc?.split("\n") ?? [];
  const header = `${paint(STYLES[action], `${SIGNS[action]} ${key}`)} ${NOTES[action]}`;
  return [
    header,
    ...(about === undefined ? [] : [`    ${paint("dim", `## ${about}`)}`]),
    ...reasonLines(reasons),
  ];
}

const reasonLines = (reasons: readonly ChangeReason[]): readonly string[] =>
  reasons.map(
    ({ path, reload, before = "(none)", after = "(none)" }) =>
      `    ${path}: ${before} -> ${after}${ASKS[reload]}`,
  );

function summaryOf(plan: Plan): string {
  const { summary } = plan;
  const order = ["added", "updated", "replaced", "removed"] as const;
  const counts = order.filter((action) => summary[action] > 0);
  const parts = [
    ...counts.map((action) => `${summary[action]} ${action}`),
    ...(plan.settings
      ? [`${countText(plan.settings.length, "setting")} of the daemon changed`]
      : []),
    ...(summary.unchanged > 0 ? [`${summary.unchanged} unchanged`] : []),
  ];
  if (!changesAnything(plan)) {
    return `Nothing changes: ${countText(summary.unchanged, "block")}, as before.`;
  }
  return `${parts.join(", ")}.`;
}

const restartOf = ({ needsRestart }: Plan): readonly string[] =>
  needsRestart.length === 0
    ? []
    : [`Until the daemon is started anew, these stay as they are: ${needsRestart.join(", ")}.`];
