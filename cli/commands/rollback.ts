/** `reeve rollback`: runs the configuration of an earlier generation again. */

import { connect } from "../control/client.js";
import { generationNumber, generationNumbers } from "../control/generation-number.js";
import { controlExits, controlOptions } from "../control/option.js";
import { defineCommand } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { showRefusal, showResult } from "../print/reload-result.js";

export const command = defineCommand({
  description:
    "It lasts until the next edit. The files on disk do not change, so the daemon is degraded until then. " +
    "With --json: the `ReloadResult` or the `ConfigurationProblem` of the control API.",
  arguments: [
    {
      name: "N",
      summary: "the number of the generation, see `reeve history`",
      required: true,
      complete: generationNumbers,
    },
  ],
  options: controlOptions,
  examples: [{ command: "reeve rollback 11", does: "runs generation 11 again" }],
  exits: {
    [Exit.findings]: "there is no such generation",
    ...controlExits,
    [Exit.configuration]: "its configuration is rejected now; the previous one still runs",
  },
  async run({ arguments: [number], options, output }) {
    const wanted = generationNumber(number);
    const control = connect(options);
    try {
      return showResult(await control.rollback(wanted), options.json, output);
    } catch (thrown) {
      return await showRefusal(control, thrown, options.json, output);
    }
  },
});
