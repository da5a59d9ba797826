/** What a command works on, by the directory that its run starts in. */
import { basename, join, relative } from "node:path";
import { isWithin } from "../engine/paths.js";
import { workTreeOf } from "../engine/work-tree.js";
import { withTarget } from "./denied.js";
import { programDirectories } from "./program-directories.js";
import type { SandboxSpec } from "./spec.js";
import type { Invoker } from "./user.js";

/**
 * The git work tree that contains the directory, if the user could name all of it and lose nothing that is protected.
 * @param readOnly directories that stay as they are, with what contains them
 */
export function workspacesOf(
  directory: string,
  { uid, home, otherHomes }: Invoker,
  { denyRead }: Pick<SandboxSpec, "denyRead">,
  readOnly: readonly string[],
): readonly string[] {
  const homes = [home, ...otherHomes].flatMap(withTarget);
  const fixed = readOnly.flatMap(withTarget);
  // Of a home directory's hidden entries only the start itself is open.
  const hidden = homes
    .filter((each) => isWithin(directory, each))
    .map((each) => join(each, relative(each, directory).split("/")[0] ?? ""))
    .filter((each) => basename(each).startsWith("."));
  return workTreeOf(directory, {
    uid,
    closed: [...hidden, ...fixed, ...denyRead, ...programDirectories().flatMap(withTarget)],
    undivided: [...homes, ...fixed],
  });
}
