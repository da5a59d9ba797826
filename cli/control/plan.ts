/** What the running daemon would change if it read its configuration now. */
import type { Findings, PlanResult } from "../../daemon/http/control/api.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { isSameFile } from "../project/check-host.js";
import { shownPath } from "../project/files.js";
import { nameFrom } from "../project/load.js";
import { connect } from "./client.js";
import { renameFindings } from "./findings.js";
import { ControlError, isConfigurationProblem } from "./problem.js";

/**
 * `control` is the socket's path and `root` the absolute path of the root file, where they were named.
 * @throws ControlError where the configuration is invalid, Failure where no daemon answers or it runs another file.
 */
export async function planWithDaemon(
  control: string | undefined,
  root: string | undefined,
): Promise<PlanResult> {
  const daemon = connect({ control });
  const { root: running } = await daemon.status();
  if (root !== undefined && !isSameFile(root, running)) {
    throw new Failure(
      Exit.usage,
      `the daemon runs \`${shownPath(running)}\`, not \`${shownPath(root)}\``,
      { help: "To compare two files, say with what: --against FILE or --against git:REV." },
    );
  }
  const named = <F extends Findings>(found: F): F =>
    renameFindings(found, nameFrom(root ?? running));
  try {
    return named(await daemon.plan());
  } catch (thrown) {
    if (!(thrown instanceof ControlError) || !isConfigurationProblem(thrown.problem)) throw thrown;
    throw new ControlError(named(thrown.problem));
  }
}
