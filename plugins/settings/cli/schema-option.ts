/** Which server's settings a file has. */

import { basename } from "node:path";
import { Exit, Failure, text } from "reeve/cli";
import {
  type Checker,
  checkerFor,
  InvalidServer,
  knownServers,
  settingsFileStem,
} from "../offline.js";

export const schemaOption = text(
  "NAME",
  "the server's name, or the path of a JSON Schema (default: by the file's name)",
);

/** One checker a schema, however many files there are. @throws Failure where there is no such schema */
export function checkers(schema: string | undefined): (path: string) => Promise<Checker> {
  const made = new Map<string, Promise<Checker>>();
  return (path) => {
    const wanted = schema ?? nameOf(path);
    const checker = made.get(wanted) ?? found(wanted);
    made.set(wanted, checker);
    return checker;
  };
}

/** `zls.json`, `.zls.jsonc` and `zls.project.json` are for zls. */
export const nameOf = (path: string): string => /^\.?([^.]*)/.exec(basename(path))?.[1] ?? "";

/** Whether a file is named like the settings of a server that Reeve knows. */
export const isSettingsFile = (path: string): boolean => {
  const server = nameOf(path);
  const name = basename(path).replace(/^\./, "");
  return knownServers.includes(server) && name.startsWith(`${settingsFileStem(server)}.`);
};

async function found(schema: string): Promise<Checker> {
  try {
    return await checkerFor(schema, process.cwd());
  } catch (thrown) {
    if (!(thrown instanceof InvalidServer)) throw thrown;
    throw new Failure(Exit.usage, thrown.message.replace(/\.$/, ""), {
      help: `Name a server with \`--schema NAME\` (${knownServers.join(", ")}), or the path of a JSON Schema.`,
    });
  }
}
