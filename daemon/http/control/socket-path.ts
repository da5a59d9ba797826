/** Where the daemon makes its control socket. */
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface SocketPathOptions {
  /** `--control PATH`. */
  readonly flag?: string | undefined;
  /** @default the process's own */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @default the process's own */
  readonly user?: number | undefined;
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
 * Makes the directory of a socket in its usual place: after a restart of the host it is gone. One that somebody chose
 * must be there. What is in the way is told when the socket is made.
 */
export function makeUsualDirectory(path: string, options: SocketPathOptions = {}): void {
  if (path !== ownPath(options)) return;
  const { user = process.getuid?.() } = options;
  try {
    mkdirSync(dirname(path), { mode: user === 0 ? 0o755 : 0o700 });
  } catch {
    // There already, or it cannot be made: the socket will tell.
  }
}

function ownPath({
  environment = process.env,
  user = process.getuid?.(),
}: SocketPathOptions): string {
  if (user === 0) return "/run/reeve/control.sock";
  const runtime = nonEmpty(environment.XDG_RUNTIME_DIR) ?? `/run/user/${user ?? "self"}`;
  return join(runtime, "reeve", "control.sock");
}

const nonEmpty = (text: string | undefined): string | undefined => (text ? text : undefined);
