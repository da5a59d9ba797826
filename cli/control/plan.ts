/** What the running daemon would change if it read its configuration now. */
import { realpathSync } from "node:fs";
import type { PlanResult } from "../../daemon/http/control/api.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { shownPath } from "../project/files.js";
import { connect } from "./client.js";

/**
 * `control` is the socket's path and `root` the absolute path of the root file, where they were named.
 * @throws Refusal where the configuration is invalid, Failure where no daemon answers or it runs another file.
 */
export async function planWithDaemon(
  control: string | undefined,
  root: string | undefined,
): Promise<PlanResult> {
  const daemon = connect({ control });
  if (root !== undefined) {
    const { root: running } = await daemon.status();
    if (!isSameFile(root, running)) {
      throw new Failure(
        Exit.usage,
        `the daemon runs \`${shownPath(running)}\`, not \`${shownPath(root)}\``,
        { help: "To compare two files, say with what: --against FILE or --against git:REV." },
      );
    }
  }
  return daemon.plan();
}

function isSameFile(one: string, other: string): boolean {
  try {
    return one === other || realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
