/** Notices about the event stream itself. */
import type { WatchLine } from "../control/watch.js";
import type { Channel } from "../plugin-api/output.js";
import { oneLine } from "./text.js";
import { duration } from "./units.js";

/** Takes every line, in order, and says when the daemon is lost, is back, or has told less than everything. */
export function streamNotices(channel: Channel): (line: WatchLine) => void {
  let isLost = false;
  return (line) => {
    const remark = remarkOn(line, isLost);
    isLost = line.line === "lost";
    if (remark !== undefined) channel.line(channel.paint("dim", `# ${remark}`));
  };
}

function remarkOn(line: WatchLine, wasLost: boolean): string | undefined {
  if (line.line === "lost") {
    return wasLost ? undefined : `${oneLine(line.reason)}; trying again`;
  }
  if (wasLost && line.line === "snapshot") {
    const up = duration(line.status.now - line.status.startedAt);
    return `connected again, to a daemon that has been up for ${up}`;
  }
  if (wasLost) return "connected again";
  if (line.line !== "snapshot" || !line.missed) return undefined;
  return `some events are no longer kept; going on after number ${line.sequence}`;
}
