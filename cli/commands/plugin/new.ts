/** `reeve plugin new`: a package with a plugin, tests that pass and a configuration that uses it. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineCommand } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { version } from "../../program/version.js";
import { reasonOf, shownPath } from "../../project/files.js";

const TEMPLATE = fileURLToPath(new URL("../../../../cli/starter/plugin", import.meta.url));
const PREFIX = "reeve-plugin-";

export const command = defineCommand({
  description:
    "The package is in JavaScript with types in comments and needs no build. It serves a text over HTTP, counts requests, and " +
    "passes the conformance checks; replace the block by your own.",
  arguments: [
    { name: "NAME", summary: "the plugin's id, such as `uptime`", required: true },
    { name: "DIR", summary: "a new or empty directory (default: ./reeve-plugin-NAME)" },
  ],
  examples: [{ command: "reeve plugin new uptime", does: "writes ./reeve-plugin-uptime" }],
  exits: { [Exit.cannotCreate]: "the directory has files already, or cannot be written" },
  async run({ arguments: [name = "", directory], commands, output }) {
    const id = name.replace(PREFIX, "");
    if (!/^[a-z][a-z0-9-]*$/.test(id)) {
      throw new Failure(Exit.usage, `\`${name}\` cannot be the id of a plugin`, {
        help: "Use lower-case letters, digits and `-`, and begin with a letter.",
      });
    }
    if (commands.some((command) => command.name === id)) {
      throw new Failure(Exit.usage, `\`reeve ${id}\` is a command already`, {
        help: "Choose another name: a command of Reeve hides that of a plugin of its name.",
      });
    }
    const target = resolve(directory ?? `${PREFIX}${id}`);
    const shown = shownPath(target);
    try {
      await mkdir(target, { recursive: true });
      if ((await readdir(target)).length > 0) {
        throw new Failure(Exit.cannotCreate, `\`${shown}\` is not empty`, {
          help: "Name another directory: `reeve plugin new NAME DIR`.",
        });
      }
      for (const file of await readdir(TEMPLATE)) {
        const text = await readFile(join(TEMPLATE, file), "utf8");
        await writeFile(join(target, file), filled(text, id));
        output.out.line(shownPath(join(target, file)));
      }
      // npm leaves a file of this name out of packages.
      await writeFile(join(target, ".gitignore"), "node_modules/\n.reeve/\n");
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      throw new Failure(Exit.cannotCreate, `\`${shown}\` cannot be written: ${reasonOf(thrown)}`, {
        cause: thrown,
      });
    }
    output.err.line(`Next: \`cd ${shown}\`, \`npm install\`, \`npm test\`, \`npx reeve up\`.`);
    return Exit.ok;
  },
});

/** The template's id is `starter`; in names of the language and of metrics, `_` stands for `-`. */
function filled(text: string, id: string): string {
  const name = id.replaceAll("-", "_");
  const title = id.replace(/^[a-z]|-[a-z]/g, (start) => start.replace("-", " ").toUpperCase());
  return text
    .replaceAll("reeve_starter", `reeve_${name}`)
    .replaceAll('plugin "starter"', `plugin "${name}"`)
    .replaceAll("starter.message", `${name}.message`)
    .replaceAll("starter", id)
    .replaceAll("Starter", title)
    .replace('"reeve": "*"', `"reeve": "^${version()}"`);
}
