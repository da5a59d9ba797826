/** Attempts to change what runs, in words. */
import type { GenerationSummary, Plan } from "../../daemon/http/control/api.js";
import { oneLine } from "./text.js";

type Summary = Plan["summary"];

/** `1 updated, 2 added, 4 unchanged`; what is zero is left out. `nothing` where there is nothing to say. */
export function summaryText(summary: Summary | undefined): string {
  if (summary === undefined) return "";
  const order = ["added", "updated", "replaced", "removed", "unchanged"] as const;
  const parts = order.filter((action) => summary[action] > 0);
  return parts.length === 0
    ? "no blocks"
    : parts.map((action) => `${summary[action]} ${action}`).join(", ");
}

/** `3b1f2c4`, with `+` where files differ from the commit. */
export function commitText(git: GenerationSummary["git"]): string {
  return git === undefined ? "" : `${oneLine(git.commit).slice(0, 7)}${git.dirty ? "+" : ""}`;
}

/** Why an attempt was made, for people. */
export const triggerText: Readonly<Record<GenerationSummary["trigger"], string>> = {
  boot: "start",
  edit: "edit",
  request: "reload",
  signal: "signal",
  source: "commit",
  rollback: "roll-back",
};
