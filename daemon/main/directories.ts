/** Default directories of a daemon. All paths are absolute. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { ServiceOptions } from "../services/contract.js";

export interface DirectoryOptions {
  /** Absolute path of the configuration's root file. */
  readonly root: string;
  /** `--state DIR`. */
  readonly state?: string | undefined;
  /** @default the process's own */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** 0 for root. @default the process's own */
  readonly user?: number | undefined;
}

/**
 * The flag, then what systemd gives the service, then the host's or the user's usual place. There, every configuration
 * has a directory of its own: what ran for one must never come back for another.
 */
export function directoriesFor(options: DirectoryOptions): ServiceOptions["directories"] {
  const { environment = process.env, user = process.getuid?.() } = options;
  if (options.state !== undefined) {
    const state = resolve(options.state);
    return below(state, join(state, "cache"));
  }
  const name = nameOf(options.root);
  const state =
    first(environment.STATE_DIRECTORY) ??
    (user === 0
      ? join("/var/lib/reeve", name)
      : join(environment.XDG_STATE_HOME || join(homedir(), ".local", "state"), "reeve", name));
  const cache =
    first(environment.CACHE_DIRECTORY) ??
    (user === 0
      ? join("/var/cache/reeve", name)
      : join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "reeve", name));
  return below(state, cache);
}

const below = (state: string, cache: string): ServiceOptions["directories"] => ({
  state,
  cache,
  temporary: join(state, "temporary"),
});

/** systemd separates several by colons; the first is the daemon's. */
const first = (list: string | undefined): string | undefined => list?.split(":", 1)[0] || undefined;

/** `reeve-1f0c2d3e`: the directory's name for people, the digest for certainty. */
function nameOf(root: string): string {
  const digest = createHash("sha256").update(root).digest("hex").slice(0, 8);
  return `${basename(dirname(root)) || "root"}-${digest}`;
}
