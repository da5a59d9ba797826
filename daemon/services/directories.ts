/** The daemon's directories and, below them, one a plugin. */
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ReeveError } from "../errors.js";
import type { Directories } from "../plugin-api/context.js";
import type { ServiceOptions } from "./contract.js";
import { osErrorReason } from "./os-error.js";
import { linkIn, untrusted } from "./trusted-directory.js";

type Roots = ServiceOptions["directories"];

/** Creates the directories, private to the daemon's user, and empties the temporary one. */
export function prepareDirectories(roots: Roots): void {
  for (const directory of Object.values(roots)) makePrivate(directory);
  usable(roots.temporary, () => {
    for (const entry of readdirSync(roots.temporary)) {
      rmSync(join(roots.temporary, entry), { recursive: true, force: true });
    }
  });
}

/** A plugin's own directories, made on the way. */
export function pluginDirectories(
  roots: Roots,
  plugin: string,
  configuration: string,
): Directories {
  const own = (root: string): string => {
    const directory = join(root, "plugins", encodeURIComponent(plugin));
    makePrivate(directory);
    return directory;
  };
  return {
    state: own(roots.state),
    cache: own(roots.cache),
    temporary: own(roots.temporary),
    configuration,
  };
}

/** Before anything is written to a state directory. @throws ReeveError when another user could replace it, or something in it leads elsewhere */
export function demandTrusted(state: string): void {
  const link = usable(state, () => linkIn(state));
  const reason = usable(state, () => untrusted(state)) ?? (link && `${link} is a symbolic link`);
  if (reason !== undefined) throw unusable(state, reason);
}

function makePrivate(directory: string): void {
  const reason = usable(directory, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const reason = untrusted(directory);
    if (reason === undefined) chmodSync(directory, 0o700);
    return reason;
  });
  if (reason !== undefined) throw unusable(directory, reason);
}

const unusable = (directory: string, reason: string): ReeveError =>
  new ReeveError("directory_unusable", `The directory ${directory} cannot be used: ${reason}.`, {
    help: "Choose a directory that only root and the daemon's user can change.",
  });

function usable<Result>(directory: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw new ReeveError(
      "directory_unusable",
      `The directory ${directory} cannot be used: ${osErrorReason(thrown)}.`,
      {
        help: "Make it writable for the daemon's user, or choose another one.",
        cause: thrown,
      },
    );
  }
}
