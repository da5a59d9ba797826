/** `reeve init`: a first configuration. */
import { constants, copyFile, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineCommand } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { reasonOf, shownPath } from "../project/files.js";

const STARTER = fileURLToPath(new URL("../../../cli/starter/main.reeve", import.meta.url));

export const command = defineCommand({
  description:
    "Writes a main.reeve with a working hook and comments. An existing file is never overwritten.",
  arguments: [{ name: "DIR", summary: "the directory; created if missing (default: .)" }],
  examples: [
    { command: "reeve init", does: "writes ./main.reeve" },
    { command: "reeve init /etc/reeve", does: "writes /etc/reeve/main.reeve" },
  ],
  exits: { [Exit.cannotCreate]: "the file exists already, or cannot be written" },
  async run({ arguments: [directory = "."], output }) {
    const path = join(resolve(directory), "main.reeve");
    await write(path);
    output.out.line(shownPath(path));
    output.err.line(
      `Next: \`reeve check ${shownPath(path)}\`, then \`reeve up ${shownPath(path)}\`.`,
    );
    return Exit.ok;
  },
});

async function write(path: string): Promise<void> {
  const name = shownPath(path);
  try {
    await mkdir(resolve(path, ".."), { recursive: true });
    await copyFile(STARTER, path, constants.COPYFILE_EXCL);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") {
      throw new Failure(Exit.cannotCreate, `\`${name}\` exists already`, {
        help: "Name another directory: `reeve init DIR`.",
        cause: thrown,
      });
    }
    throw new Failure(Exit.cannotCreate, `\`${name}\` cannot be written: ${reasonOf(thrown)}`, {
      cause: thrown,
    });
  }
}
