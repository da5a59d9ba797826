/** `run_as`: the user and group of a command. */
import { execFile } from "node:child_process";

export interface RunIdentity {
  readonly user: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

const known = new Map<string, Promise<RunIdentity | string>>();

/** Resolves `user` or `user:group`; a string is the reason why not. Cached. */
export function identityOf(written: string): Promise<RunIdentity | string> {
  const found = known.get(written) ?? look(written);
  known.set(written, found);
  void found.then((identity) => {
    if (typeof identity === "string") known.delete(written);
  });
  return found;
}

/** The options of `setpriv` for a command of another user; none for the daemon's own. */
export function userOptions({ uid, gid }: RunIdentity): readonly string[] {
  if (process.getuid?.() === uid && process.getgid?.() === gid) return [];
  return [`--reuid=${uid}`, `--regid=${gid}`, "--init-groups"];
}

/** By `getent`: name services know more users than `/etc/passwd`. */
async function look(written: string): Promise<RunIdentity | string> {
  const [user = "", group] = written.split(":");
  const account = await entry("passwd", user);
  const [, , uid, primary, , home = "/"] = account ?? [];
  if (uid === undefined) return `there is no user \`${user}\` on this host`;
  const gid = group === undefined ? primary : (await entry("group", group))?.[2];
  if (gid === undefined) return `there is no group \`${group}\` on this host`;
  const identity = { user: account?.[0] ?? user, uid: Number(uid), gid: Number(gid), home };
  const own = process.getuid?.();
  if (own === 0 || userOptions(identity).length === 0) return identity;
  return "only a daemon that runs as root can run commands as another user";
}

function entry(database: "passwd" | "group", name: string): Promise<readonly string[] | undefined> {
  return new Promise((resolve) =>
    execFile("getent", [database, "--", name], (failed, stdout) =>
      resolve(failed ? undefined : stdout.trim().split(":")),
    ),
  );
}
