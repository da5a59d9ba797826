/** `reeve sandbox logs`: what the commands of a sandbox asked for. */
import { controlExits, controlOptions, defineCommand, Exit, flag, jsonLines } from "reeve/cli";
import { parseLine, prettyLine } from "../offline.js";
import { nameArgument, sandboxPath, withKnownSandbox } from "./requests.js";

export const command = defineCommand({
  description:
    "Each request with what was decided and the process that asked, oldest first; the daemon keeps the last 16 to 32 MiB of " +
    "each sandbox. With --json: one record a line, with its rule.",
  arguments: [nameArgument],
  options: { follow: flag("show new ones as they come", { short: "f" }), ...controlOptions },
  examples: [
    { command: "reeve sandbox logs build", does: "shows all that is kept" },
    { command: "reeve sandbox logs build -f --json", does: "follows it, for a program" },
  ],
  exits: { [Exit.findings]: "there is no such sandbox", ...controlExits },
  async run({ arguments: [name = ""], options, output, signal, control }) {
    const path = `${sandboxPath(name, "log")}${options.follow ? "?follow=1" : ""}`;
    const answer = await withKnownSandbox(control, name, control.open("GET", path, { signal }));
    try {
      for await (const record of jsonLines(answer)) {
        const line = JSON.stringify(record);
        const entry = options.json ? undefined : parseLine(line);
        const { colour } = output.out;
        output.out.line(entry ? prettyLine(entry, { colour, pid: true }) : line);
        if (signal.aborted) break;
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      answer.destroy();
    }
    return Exit.ok;
  },
});
