/** `reeve settings schema`: the JSON Schema of a server's settings, for editors. */
import { defineCommand, Exit, Failure } from "reeve/cli";
import { knownServers, loadServer, nullable } from "../offline.js";

export const command = defineCommand({
  description: "A JSON Schema. It accepts what `reeve settings check` accepts.",
  arguments: [{ name: "SERVER", summary: "the server's name: zls, pyright, yaml", required: true }],
  examples: [
    { command: "reeve settings schema zls > zls.schema.json", does: "for editors that take one" },
  ],
  exits: { [Exit.findings]: "there is no such server" },
  async run({ arguments: [name = ""], output }) {
    const server = await loadServer(name);
    if (!server) {
      throw new Failure(Exit.findings, `Reeve has no schema for \`${name}\``, {
        help: `It has them for: ${knownServers.join(", ")}.`,
      });
    }
    output.json(nullable(server.schema));
    return Exit.ok;
  },
});
