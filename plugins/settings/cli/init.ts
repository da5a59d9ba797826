/** `reeve settings init`: a settings file to start with, every key in a comment. */
import { writeFileSync } from "node:fs";
import { defineCommand, Exit, Failure, reasonOf, shownPath } from "reeve/cli";
import { schemaProperties, settingsFileStem } from "../offline.js";
import { starterText } from "../starter.js";
import { checkers, nameOf, schemaOption } from "./schema-option.js";

export const command = defineCommand({
  description:
    "Writes a file with every setting of the server, its meaning and its default, each in a comment. An existing file is " +
    "kept. With `--schema` the settings are those of a JSON Schema or of the package.json of a VS Code extension.",
  arguments: [
    { name: "SERVER", summary: "the server's name", required: true },
    { name: "FILE", summary: "the file to write (default: by the name of the server)" },
  ],
  options: { schema: schemaOption },
  examples: [
    { command: "reeve settings init zls", does: "writes zls.jsonc" },
    { command: "reeve settings init yaml", does: "writes yaml.settings.jsonc" },
    {
      command: "reeve settings init pyright --schema ./package.json",
      does: "with the settings of an extension",
    },
  ],
  exits: { [Exit.findings]: "the file exists, or cannot be written" },
  async run({ arguments: [server = "", named], options: { schema }, output: { out } }) {
    const { server: described } = await checkers(schema ?? server)(server);
    const file = named ?? `${settingsFileStem(nameOf(server))}.jsonc`;
    try {
      writeFileSync(file, starterText(described), { flag: "wx" });
    } catch (thrown) {
      const exists = (thrown as NodeJS.ErrnoException).code === "EEXIST";
      throw new Failure(
        Exit.findings,
        `\`${shownPath(file)}\` ${exists ? "exists already" : `cannot be written: ${reasonOf(thrown)}`}`,
        exists ? { help: "Name another file, or remove this one." } : {},
      );
    }
    const count = schemaProperties(described).size;
    out.line(`Wrote ${shownPath(file)} with ${count} settings. Remove \`// \` to set one.`);
    out.line("");
    const reference = schema === undefined ? "" : `\n  schema = ${JSON.stringify(schema)}`;
    const path = JSON.stringify(/^[/~]/.test(file) ? file : `./${file}`);
    out.line(`settings "${server}" {${reference}\n  watch = [${path}]\n}`);
    return Exit.ok;
  },
});
