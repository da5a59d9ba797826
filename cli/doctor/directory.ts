/** Where the daemon keeps what survives it, and whether it can. */
import { mkdtempSync, rmdirSync, statfsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { size } from "../show/units.js";
import { type Finding, fail, ok, warn } from "./finding.js";

/** Bytes below which a database may soon fail to grow. */
const LITTLE = 200 * 1024 * 1024;

export interface StateSearch {
  /** What `--state` says. */
  readonly state: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly uid: number | undefined;
}

/** Where a daemon that is started like this keeps its state. */
export function stateDirectory({ state, environment, uid }: StateSearch): string {
  const [service] = environment.STATE_DIRECTORY?.split(":") ?? [];
  const named = state ?? (service || undefined);
  if (named !== undefined) return resolve(named);
  if (uid === 0) return "/var/lib/reeve";
  return join(environment.XDG_STATE_HOME || join(homedir(), ".local/state"), "reeve");
}

/** Tries it: what permissions say is not all there is (read-only mounts, quotas, containers). */
export function writable(directory: string): Finding {
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
