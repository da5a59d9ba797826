/** Whether the daemon runs, and whether it is well. */
import type { Status } from "../../../daemon/http/control/api.js";
import type { Control } from "../../control/client.js";
import { Failure } from "../../plugin-api/exit.js";
import { oneLine } from "../../print/text.js";
import { duration } from "../../print/units.js";
import { fail, type HostFinding, ok, warn } from "./finding.js";

export interface DaemonLook {
  readonly findings: readonly HostFinding[];
  /** Absent where no daemon answers. */
  readonly status?: Status;
}

export async function checkDaemon(control: Control): Promise<DaemonLook> {
  try {
    const status = await control.status();
    return { status, findings: [running(status, control.socket), ...ailments(status)] };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const isAbsent = thrown.message.startsWith("the daemon is not running");
    const found = isAbsent ? warn : fail;
    return { findings: [found("daemon", thrown.message, thrown.help ?? "Look at its log.")] };
  }
}

function running({ pid, version, startedAt, now }: Status, socket: string): HostFinding {
  const up = duration(now - startedAt);
  return ok("daemon", `reeve ${oneLine(version)} runs at ${socket} (pid ${pid}, up ${up})`);
}

/** Milliseconds. */
const LATE = 500;

function ailments(status: Status): readonly HostFinding[] {
  const { degraded, plugins, process: own } = status;
  return [
    ...(degraded
      ? [
          warn(
            "degraded",
            `the daemon is degraded: ${oneLine(degraded.reason).replace(/\.$/, "")}`,
            "See `reeve check` and `reeve history`.",
          ),
        ]
      : []),
    ...status.conditions.map(({ code, isUnready, reason, subject, since }) => {
      const about = subject === undefined ? "" : `${oneLine(subject)}: `;
      const last = duration(Math.max(0, status.now - since));
      const text = `${about}${oneLine(reason).replace(/\.$/, "")} (for ${last})`;
      return (isUnready ? fail : warn)(code, text, "It clears by itself when the cause is gone.");
    }),
    ...plugins
      .filter(({ state }) => state === "quarantined")
      .map(({ id, failure }) =>
        fail(
          "quarantine",
          `the plugin ${oneLine(id)} is quarantined${failure ? `: ${oneLine(failure.reason).replace(/\.$/, "")}` : ""}`,
          `After fixing the cause: \`reeve plugin release ${oneLine(id)}\`.`,
        ),
      ),
    ...(own.loopLag.max > LATE
      ? [
          warn(
            "event_loop",
            `the daemon's event loop was late by ${duration(own.loopLag.max)}`,
            "Look for a plugin that runs `inline` and computes for long; isolate it.",
          ),
        ]
      : []),
  ];
}
