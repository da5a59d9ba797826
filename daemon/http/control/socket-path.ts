/** Where the daemon makes its control socket. */
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

export interface SocketPathOptions {
  /** `--control PATH`. */
  readonly flag?: string | undefined;
  /** @default the process's own */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @default the process's own */
  readonly user?: number | undefined;
  /** Whether a directory is there. @default a look at the disk */
  readonly exists?: (path: string) => boolean;
}

/** The socket that a daemon makes: the flag, `REEVE_CONTROL`, its service's directory, then its user's. */
export function socketPath(options: SocketPathOptions = {}): string {
  const { environment = process.env } = options;
  const chosen = options.flag ?? nonEmpty(environment.REEVE_CONTROL);
  if (chosen !== undefined) return resolve(chosen);
  const service = nonEmpty(environment.RUNTIME_DIRECTORY)?.split(":", 1)[0];
  if (service !== undefined) return join(service, "control.sock");
  return ownPath(options);
}

/**
 * Creates the directory of a socket at the default path, which disappears at a restart of the host. A configured
 * directory must exist. Binding the socket reports obstacles.
 */
export function makeUsualDirectory(path: string, options: SocketPathOptions = {}): void {
  if (path !== ownPath(options)) return;
  const { user = process.getuid?.() } = options;
  try {
    mkdirSync(dirname(path), { mode: user === 0 ? 0o755 : 0o700, recursive: true });
  } catch {
    // There already, or it cannot be made: the socket will tell.
  }
}

/** Without a session's runtime directory, as in containers, the state directory is private to the user. */
function ownPath({
  environment = process.env,
  user = process.getuid?.(),
  exists = existsSync,
}: SocketPathOptions): string {
  if (user === 0) return "/run/reeve/control.sock";
  const session = `/run/user/${user ?? "self"}`;
  const runtime = nonEmpty(environment.XDG_RUNTIME_DIR) ?? (exists(session) ? session : undefined);
  const home = nonEmpty(environment.HOME) ?? homedir();
  const state = nonEmpty(environment.XDG_STATE_HOME) ?? join(home, ".local", "state");
  return join(runtime ?? state, "reeve", "control.sock");
}

const nonEmpty = (text: string | undefined): string | undefined => (text ? text : undefined);
