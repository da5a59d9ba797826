/** Where the daemon makes its control socket. */
import { join, resolve } from "node:path";

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

function ownPath({
  environment = process.env,
  user = process.getuid?.(),
}: SocketPathOptions): string {
  if (user === 0) return "/run/reeve/control.sock";
  const runtime = nonEmpty(environment.XDG_RUNTIME_DIR) ?? `/run/user/${user ?? "self"}`;
  return join(runtime, "reeve", "control.sock");
}

const nonEmpty = (text: string | undefined): string | undefined => (text ? text : undefined);
