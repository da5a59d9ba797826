/** Where the daemon keeps what survives it, and whether it can. */
import { mkdtempSync, rmdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { directoriesFor } from "../../../daemon/main/directories.js";
import { size } from "../../print/units.js";
import { fail, type HostFinding, ok, warn } from "./finding.js";

/** Bytes below which a database may soon fail to grow. */
const LITTLE = 200 * 1024 * 1024;

/** Where a daemon that is started here, for this root file, keeps its state. `state` is what `--state` says. */
export function stateDirectory(root: string, state: string | undefined): string {
  return directoriesFor({ root, state }).state;
}

/** Tries it: what permissions say is not all there is (read-only mounts, quotas, containers). */
export function writable(directory: string): HostFinding {
  const existing = nearest(directory);
  try {
    rmdirSync(mkdtempSync(join(existing, ".reeve-doctor-")));
  } catch (thrown) {
    const { code = String(thrown) } = thrown as NodeJS.ErrnoException;
    const why = { EACCES: "permission denied", EROFS: "it is read-only" }[code] ?? code;
    return fail(
      "state_directory",
      `the state directory ${directory} cannot be written: ${why}`,
      `Give the user of the daemon the right to write in ${existing}, or choose another place with \`--state DIR\`.`,
    );
  }
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  if (free < LITTLE) {
    return warn(
      "state_directory",
      `the state directory ${directory} has only ${size(free)} left`,
      "Make room, or choose another place with `--state DIR`.",
    );
  }
  return ok("state_directory", `the state directory ${directory} can be written`);
}

/** The directory itself or, while it does not exist, the one that it will be made in. */
function nearest(directory: string): string {
  const found = statSync(directory, { throwIfNoEntry: false });
  const up = dirname(directory);
  return found || up === directory ? directory : nearest(up);
}
