/** `reeve settings diff`: what is in force and is not the default, or what has changed since a version. */

import { isDeepStrictEqual } from "node:util";
import { controlExits, controlOptions, count, defineCommand, Exit } from "reeve/cli";
import { getSettings, nameArgument, versionsOf } from "./requests.js";
import { changeLines, originText, valueText } from "./text.js";

export const command = defineCommand({
  description:
    "Without --since: keys whose value is not the server's default. With it: every change after that version, as far " +
    "back as the daemon knows; `reeve settings show --json` has the version of now.",
  arguments: [nameArgument],
  options: { since: count("N", "changes after this version"), ...controlOptions },
  examples: [
    { command: "reeve settings diff", does: "compares with the defaults" },
    {
      command: "reeve settings diff zls --since 1",
      does: "shows what has changed since the start",
    },
  ],
  exits: { [Exit.findings]: "there are no such settings", ...controlExits },
  async run({ arguments: [name], options, output: { out, json }, control }) {
    const all = await getSettings(control, name);
    const { since } = options;
    if (since !== undefined) {
      const differences = await Promise.all(
        all.map(async (each) => ({
          name: each.name,
          versions: (await versionsOf(control, each.name)).filter(({ version }) => version > since),
        })),
      );
      if (options.json) json({ settings: differences });
      for (const each of options.json ? [] : differences) {
        for (const { version, changed } of each.versions) {
          out.line(out.paint("bold", `settings "${each.name}" version ${version}`));
          for (const line of changeLines(changed)) out.line(`  ${line}`);
        }
      }
      return Exit.ok;
    }
    const differences = all.map((each) => ({
      name: each.name,
      settings: each.settings.filter(
        ({ value, origin, default: byDefault }) =>
          origin !== "default" && !isDeepStrictEqual(value, byDefault),
      ),
    }));
    if (options.json) json({ settings: differences });
    for (const each of options.json ? [] : differences) {
      out.line(out.paint("bold", `settings "${each.name}"`));
      for (const setting of each.settings) {
        out.line(
          `  ${setting.key}: ${valueText(setting.default)} -> ${valueText(setting.value)} (${originText(setting)})`,
        );
      }
      if (each.settings.length === 0) out.line("  Nothing differs from the defaults.");
    }
    return Exit.ok;
  },
});
