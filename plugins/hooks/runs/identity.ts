/** `run_as`: the user and group of a command. */
import type { Processes } from "reeve/plugin";

export interface RunIdentity {
  readonly user: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

const known = new WeakMap<Processes, Map<string, Promise<RunIdentity | string>>>();

/** Resolves `user` or `user:group`; a string is the reason why not. Cached. */
export function identityOf(written: string, processes: Processes): Promise<RunIdentity | string> {
  const all = known.get(processes) ?? new Map<string, Promise<RunIdentity | string>>();
  known.set(processes, all);
  const found = all.get(written) ?? look(written, processes);
  all.set(written, found);
  void found.then((identity) => {
    if (typeof identity === "string") all.delete(written);
  });
  return found;
}

/** The words before a command of another user; none for the daemon's own. */
export function prefixOf({ uid, gid }: RunIdentity): readonly string[] {
  if (process.getuid?.() === uid && process.getgid?.() === gid) return [];
  return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--init-groups", "--"];
}

/** By `getent`: name services know more users than `/etc/passwd`. */
async function look(written: string, processes: Processes): Promise<RunIdentity | string> {
  const [user = "", group] = written.split(":");
  const account = await entry("passwd", user, processes);
  const [, , uid, primary, , home = "/"] = account ?? [];
  if (uid === undefined) return `there is no user \`${user}\` on this host`;
  const gid = group === undefined ? primary : (await entry("group", group, processes))?.[2];
  if (gid === undefined) return `there is no group \`${group}\` on this host`;
  const identity = { user: account?.[0] ?? user, uid: Number(uid), gid: Number(gid), home };
  const own = process.getuid?.();
  if (own === 0 || prefixOf(identity).length === 0) return identity;
  return "only a daemon that runs as root can run commands as another user";
}

async function entry(
  database: "passwd" | "group",
  name: string,
  processes: Processes,
): Promise<readonly string[] | undefined> {
  const { exitCode, stdout } = await processes.run({ argv: ["getent", database, name] });
  return exitCode === 0 ? Buffer.from(stdout).toString("utf8").trim().split(":") : undefined;
}
