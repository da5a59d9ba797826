/** The messages at the end of a run. */
import { diagnose } from "./diagnosis.js";
import { learnedText, smallestAllowList } from "./learned.js";
import type { Messages } from "./messages.js";
import type { Preserved } from "./preserve-logs.js";
import type { RequestTally } from "./request-tally.js";
import type { RunSettings } from "./settings.js";

export interface RunReport {
  readonly messages: Messages;
  readonly settings: RunSettings;
  readonly tally: RequestTally;
  readonly exitCode: number;
  readonly logs: Preserved | undefined;
  readonly workDirectory: string;
}

export function report({
  messages,
  settings,
  tally,
  exitCode,
  logs,
  workDirectory,
}: RunReport): void {
  const { options } = settings;
  const { policy } = settings.spec;
  if (options.json) {
    messages.object({
      event: "finished",
      exitCode,
      allowed: [...tally.allowed.keys()],
      denied: tally.denied,
      ...(policy.learning ? { learned: smallestAllowList(tally.allowed) } : {}),
      ...(logs ? { logs: logs.directory } : {}),
    });
    return;
  }
  if (exitCode === 0) messages.success("Command completed successfully");
  else messages.warn(`Command completed with exit code: ${exitCode}`);
  diagnose(messages, tally, policy, exitCode);
  if (policy.learning) messages.plain(learnedText(smallestAllowList(tally.allowed)));
  if (options.keepContainers) messages.info(`Configuration files preserved at: ${workDirectory}`);
  if (logs)
    messages.info(`Squid logs ${logs.moved ? "preserved" : "available"} at: ${logs.directory}`);
}
