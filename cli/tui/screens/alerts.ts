/** Alerts: what needs attention. */
import { oneLine } from "../../print/text.js";
import { countText, duration, relative } from "../../print/units.js";
import type { Model } from "../model/model.js";

export interface Alert {
  readonly severity: "error" | "warning";
  /** One sentence without a full stop. */
  readonly text: string;
}

/** Milliseconds: a loop this late makes requests wait noticeably. */
const LATE = 500;
/** The panel of plugins that ask a user. */
const QUESTIONS = "questions";
/** Milliseconds: failures that are older are not news. */
const RECENT = 5 * 60_000;

/** The worst first. */
export function alertsOf({ status, runs, now, link, panels }: Model): readonly Alert[] {
  if (status === undefined) return [];
  const found: Alert[] = [];
  const error = (text: string) => found.push({ severity: "error", text: oneLine(text) });
  const warning = (text: string) => found.push({ severity: "warning", text: oneLine(text) });
  if (status.degraded) error(`degraded: ${withoutStop(status.degraded.reason)}`);
  for (const { isUnready, reason, subject, since } of status.conditions) {
    const about = subject === undefined ? "" : `${subject}: `;
    const text = `${about}${withoutStop(reason)} (for ${duration(Math.max(0, now - since))})`;
    if (isUnready) error(text);
    else warning(text);
  }
  for (const plugin of status.plugins) {
    const { id, state, health, failure, retryAt } = plugin;
    const why = withoutStop(health.reason ?? failure?.reason ?? "");
    const reason = why === "" ? "" : `: ${why}`;
    if (state === "quarantined") error(`${id} is quarantined${reason} (release it on screen 6)`);
    else if (state === "backoff") {
      const next = retryAt === undefined ? "" : `, next start ${relative(retryAt, now)}`;
      error(`${id} is down${reason}${next}`);
    } else if (health.state === "failed") error(`${id} does not do its job${reason}`);
    else if (health.state === "degraded") warning(`${id} works in part${reason}`);
  }
  const waiting = panels.flatMap(({ panels: own }) => own.filter(({ id }) => id === QUESTIONS));
  for (const panel of waiting) {
    const open = panel.kind === "table" ? panel.rows.length : 0;
    if (open > 0) {
      warning(`${countText(open, "question")} of sandboxed commands: answer on screen 4`);
    }
  }
  const { max } = status.process.loopLag;
  if (max > LATE && link.state === "live") warning(`the daemon was late by ${duration(max)}`);
  const failed = runs.filter(
    ({ state, finishedAt = 0 }) =>
      (state === "failed" || state === "timed_out") && now - finishedAt < RECENT,
  );
  if (failed.length > 0) {
    const [latest] = failed;
    warning(
      `${countText(failed.length, "run")} failed in 5 minutes, the latest of ${latest?.subject}`,
    );
  }
  return found.sort((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
}

const withoutStop = (text: string): string => text.replace(/\.$/, "");
