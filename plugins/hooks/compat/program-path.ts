/** Where a hook's command is and runs. */
import { isAbsolute, join } from "node:path";
import type { FileHook } from "./hook.js";

/** A relative command is resolved in the hook's directory if there is one, otherwise like in a shell. */
export function programOf({ command, directory }: FileHook): string {
  return directory === "" || isAbsolute(command) ? command : join(directory, command);
}
