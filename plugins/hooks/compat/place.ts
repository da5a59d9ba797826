/** Where a hook's command is and runs. */
import { isAbsolute, join } from "node:path";
import type { FileHook } from "./hook.js";

/** A relative command is looked for in the hook's directory if it has one, and otherwise like in a shell. */
export function programOf({ command, directory }: FileHook): string {
  return directory === "" || isAbsolute(command) ? command : join(directory, command);
}
