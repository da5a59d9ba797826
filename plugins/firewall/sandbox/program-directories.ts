/** Where programs are that the host runs later: read-only for every command. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const programDirectories = (): readonly string[] => [...ofShell(), ...installation];

/** Reeve's own package, with its dependencies if it is one itself, and the Node that runs it. */
const installation = [
  fileURLToPath(new URL("../../../..", import.meta.url)).replace(/(\/node_modules)\/.*$|\/$/, "$1"),
  dirname(process.execPath),
];

/** Where the user's shell finds programs. npm adds directories of its own for each of its scripts. */
function ofShell(): string[] {
  const path = (process.env.PATH ?? "").split(":");
  return path.filter((directory) => directory.startsWith("/") && !npmOwn.test(directory));
}

const npmOwn = /\/node_modules\/(?:\.bin|.*node-gyp-bin)\/?$/;
