/** The configuration of a sequence, and the command of all its blocks. */
import { join } from "node:path";
import type { HookName } from "./steps.js";

/** How many commands of a block may run at the same time. */
export const CONCURRENCY: Readonly<Record<HookName | "follower", number>> = {
  ...{ plain: 4, queued: 1, keyed: 4, deduped: 4, retried: 2, followed: 2, follower: 3 },
};
/** Attempts of the hook `retried` and of the task. */
export const ATTEMPTS = 3;
/** Milliseconds for which a delivery counts as repeated. */
export const WITHIN = 3_600_000;

const RETRY = `retry {
    attempts = ${ATTEMPTS}
    backoff = "fixed"
    min = 30ms
    on = ["failure", "interruption"]
  }`;

/** `edits`: how often it has been edited. */
export function configurationOf(directory: string, edits: number, hasSchedule: boolean): string {
  const timeout = `${10 + edits}m`;
  const hook = (name: HookName, more = ""): string => `hook "${name}" {
  run = ["sh", "work.sh", query.number, query.gate, query.fails, "0"]
  concurrency = ${CONCURRENCY[name]}
  queue = 1000
  timeout = ${timeout}
  ${more}
}
`;
  const schedule = `schedule "ticks" {
  every = 1s
  overlap = "allow"
  timeout = ${timeout}
  run = ["sh", "work.sh", "tick:\${planned_at}", "0", "0", attempt]
}
`;
  return `daemon { drain_timeout = 300ms }
hook_server "main" { listen = "unix:${join(directory, "hooks.sock")}" }
${hook("plain")}
${hook("queued")}
${hook("keyed", "concurrency_key = query.key")}
${hook("deduped", `dedupe {\n    key = query.key\n    within = ${WITHIN}ms\n  }`)}
${hook("retried", RETRY)}
${hook("followed")}
task "follower" {
  after = [hook.followed]
  on = ["success", "failure"]
  concurrency = ${CONCURRENCY.follower}
  run = ["sh", "work.sh", "after:\${parent.run}", "now", "1", attempt]
  timeout = ${timeout}
  ${RETRY}
}
${hasSchedule ? schedule : ""}`;
}

/**
 * `work.sh NUMBER GATE FAILS ATTEMPT` notes its begin, waits until its gate is open, fails if it has not begun more than FAILS times, and
 * notes its end. It ends without its folder.
 */
export const COMMAND = `echo "begin $REEVE_RUN $1 $4" >>journal
gate=$2
[ "$gate" = now ] && read -r gate <gate-now
until [ -e "open-$gate" ] || [ ! -e work.sh ]; do sleep 0.15; done
[ -e work.sh ] || exit 9
code=0
[ "$3" != 0 ] && [ "$(grep -c "^begin $REEVE_RUN " journal)" -le "$3" ] && code=1
echo "end $REEVE_RUN $1 $code" >>journal
exit $code
`;
