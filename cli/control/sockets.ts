/** Where a daemon's control socket may be. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export interface SocketSearch {
  /** What `--control` says. */
  readonly control?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of the user, 0 for root; `undefined` where the system has no such thing. */
  readonly uid: number | undefined;
}

const SYSTEM = "/run/reeve/control.sock";

/**
 * Absolute paths, in the order in which they are tried: what was asked for by name stands alone; otherwise one's own
 * daemon comes before that of the host.
 */
export function socketPaths({ control, environment, uid }: SocketSearch): readonly string[] {
  const named = control ?? nonEmpty(environment.REEVE_CONTROL);
  if (named !== undefined) return [resolve(named)];
  const runtime = nonEmpty(environment.XDG_RUNTIME_DIR) ?? userDirectory(uid);
  const directories = runtime === undefined ? [] : [runtime];
  if (uid !== 0) directories.push(stateDirectory(environment));
  const own = directories.map((directory) => join(directory, "reeve/control.sock"));
  return uid === 0 ? [...new Set([SYSTEM, ...own])] : [...own, SYSTEM];
}

/** Where systemd puts it, for shells that were not told: `sudo -u`, cron. */
function userDirectory(uid: number | undefined): string | undefined {
  return uid === undefined || uid === 0 ? undefined : `/run/user/${uid}`;
}

/** Where a daemon goes that was started without a session, as in a container. */
function stateDirectory({ HOME, XDG_STATE_HOME }: SocketSearch["environment"]): string {
  return nonEmpty(XDG_STATE_HOME) ?? join(nonEmpty(HOME) ?? homedir(), ".local/state");
}

/** A variable that is set to nothing counts as not set. */
function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
