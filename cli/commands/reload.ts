/** `reeve reload`: reads the configuration now and says what became of it. */

import { connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { waitForGeneration } from "../control/wait-for-generation.js";
import { defineCommand, flag } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { showRefusal, showResult } from "../print/reload-result.js";

export const command = defineCommand({
  description:
    "The daemon reads an edited file by itself; this is for scripts that want to know what became of it, and for file " +
    "systems that tell nobody. Answers when the new configuration runs, with --wait when its probation is over too. " +
    "With --json: the `ReloadResult` or the `ConfigurationProblem` of the control API.",
  options: { wait: flag("wait until there is no way back any more"), ...controlOptions },
  examples: [
    { command: "reeve reload", does: "reads the configuration and shows what changed" },
    {
      command: "git pull && reeve reload --wait",
      does: "ends with 78 unless what was pulled runs well",
    },
  ],
  exits: {
    ...controlExits,
    [Exit.configuration]: "the configuration was refused or rolled back; what ran before runs on",
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
