/** What the daemon's conditions say about its source. Pure. */
import type { ConditionFinding } from "../services/contract.js";
import type { SourceStatus } from "./contract.js";

/** Failed polls before it is reported as a condition. */
const PATIENCE = 3;

/** `isWaiting`: nothing runs yet, so what is found makes the daemon unready. */
export function sourceFindings(
  { failure, refused, pausedUntil }: SourceStatus,
  isWaiting: boolean,
): readonly ConditionFinding[] {
  const found: ConditionFinding[] = [];
  if (failure && (isWaiting || failure.polls >= PATIENCE)) {
    const reason = `The configuration's repository cannot be read: ${failure.reason}.`;
    found.push({ code: `source_${failure.code}`, reason, isUnready: isWaiting });
  }
  if (refused) {
    const { commit, reason, code, at } = refused;
    const what = `The newest commit ${commit.slice(0, 12)} is refused: ${reason}.`;
    found.push({ code: `source_${code}`, reason: what, isUnready: isWaiting, since: at });
  }
  if (pausedUntil !== undefined) {
    const until = new Date(pausedUntil).toISOString();
    const reason = `The source is paused until ${until}; \`reeve source resume\` ends that.`;
    found.push({ code: "source_paused", reason, isUnready: false });
  }
  return found;
}
