/** `reeve reload`: reloads the configuration and shows the result. */

import { connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { waitForGeneration } from "../control/wait-for-generation.js";
import { defineCommand, flag } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { showRefusal, showResult } from "../print/reload-result.js";

export const command = defineCommand({
  description:
    "The daemon reloads an edited file itself; this is for scripts that need the result, and for file systems without " +
    "change notifications. Returns when the new configuration runs, with --wait after its probation. " +
    "With --json: the `ReloadResult` or the `ConfigurationProblem` of the control API.",
  options: { wait: flag("wait for the end of the probation"), ...controlOptions },
  examples: [
    { command: "reeve reload", does: "reloads and shows the changes" },
    {
      command: "git pull && reeve reload --wait",
      does: "exits with 78 unless the new configuration runs well",
    },
  ],
  exits: {
    ...controlExits,
    [Exit.configuration]:
      "the configuration was rejected or rolled back; the previous one still runs",
  },
  async run({ options, output, signal }) {
    const control = connect(options);
    try {
      const result = await control.reload();
      const generation = options.wait
        ? await waitForGeneration(control, result.generation, signal)
        : result.generation;
      return showResult({ ...result, generation }, options.json, output);
    } catch (thrown) {
      return await showRefusal(control, thrown, options.json, output);
    }
  },
});
