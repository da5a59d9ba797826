/** What a command works on, by the directory that its run starts in. */
import { join } from "node:path";
import { credentialDirectories } from "../engine/credentials.js";
import { protectedPaths } from "../engine/protected-paths.js";
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
  const names = [...protectedPaths, ...credentialDirectories];
  const sensitive = homes.flatMap((each) => names.map((name) => join(each, name)));
  // A tree that contains a home directory contains these.
  const fixed = [...sensitive, ...readOnly.flatMap(withTarget)];
  return workTreeOf(directory, {
    uid,
    closed: [...fixed, ...denyRead, ...programDirectories().flatMap(withTarget)],
    undivided: fixed,
  });
}
