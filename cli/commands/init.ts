/** `reeve init`: a first configuration. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../control/client.js";
import { defineCommand } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { programName } from "../print/program-name.js";
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
    const name = shownPath(path);
    output.out.line(name);
    const up = `up ${name}${await ownPaths(dirname(path))}`;
    output.err.line(`Next: \`${programName()} check ${name}\`, then \`${programName()} ${up}\`.`);
    return Exit.ok;
  },
});

const PORT = 9000;
const TRIES = 100;

/** The first port that nothing on this machine has, from the usual one on. */
async function freePort(): Promise<number> {
  const { hostProbe } = await import("../../daemon/host/probe.js");
  const probe = hostProbe({ environment: process.env });
  for (let port = PORT; port < PORT + TRIES; port += 1) {
    const refused = await probe.address({ kind: "tcp", host: "127.0.0.1", port });
    if (refused === undefined) return port;
  }
  return PORT;
}

/** Options for a socket and a state directory of its own where another daemon has the usual ones. */
async function ownPaths(directory: string): Promise<string> {
  const taken = await connect({ control: undefined, deadline: 2_000 })
    .status()
    .then(
      () => true,
      () => false,
    );
  const own = shownPath(join(directory, ".reeve"));
  return taken ? ` --control ${own}/control.sock --state ${own}` : "";
}

async function write(path: string): Promise<void> {
  const name = shownPath(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    const starter = await readFile(STARTER, "utf8");
    const text = starter.replaceAll(`:${PORT}`, `:${await freePort()}`);
    await writeFile(path, text, { flag: "wx" });
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
