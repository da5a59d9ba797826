/** Conditions as lines of text. */
import type { Status } from "../../daemon/http/control/api.js";
import { oneLine } from "./text.js";
import { duration } from "./units.js";

/** "hook.deploy: there is no `./deploy.sh` (for 5m)"; those of one block if `subject` is given. */
export const conditionLines = (
  { conditions, now }: Pick<Status, "conditions" | "now">,
  subject?: string,
): readonly string[] =>
  conditions
    .filter((each) => subject === undefined || each.subject === subject)
    .map((each) => {
      const about = each.subject === undefined || subject ? "" : `${oneLine(each.subject)}: `;
      const reason = oneLine(each.reason).replace(/\.$/, "");
      return `! ${about}${reason} (for ${duration(Math.max(0, now - each.since))})`;
    });
