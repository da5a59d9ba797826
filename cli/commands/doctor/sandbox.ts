/** Whether commands can be fenced in: the programs for it, and a kernel that lets this user use them. */
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type HostFinding, ok, warn } from "./finding.js";

/** Where the firewall looks for these programs: a command in a sandbox may have written to another directory of PATH. */
export const SYSTEM_PATH =
  "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin:/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin";

/** Program and the Debian package that brings it. */
const PROGRAMS = [
  ["bwrap", "bubblewrap"],
  ["ip", "iproute2"],
  ["unshare", "util-linux"],
] as const;

export function sandboxPrograms(path: string | undefined): HostFinding {
  const missing = PROGRAMS.filter(([program]) => !isOnPath(program, path));
  if (missing.length === 0) {
    return ok("sandbox_programs", "bubblewrap, iproute2 and util-linux are installed");
  }
  const names = missing.map(([program]) => `\`${program}\``).join(", ");
  const packages = missing.map(([, name]) => name).join(" ");
  return warn(
    "sandbox_programs",
    `sandboxes cannot be made without ${names}`,
    `Install what is missing, for example with \`apt-get install ${packages}\`.`,
  );
}

export function git(path: string | undefined): HostFinding {
  if (isOnPath("git", path)) return ok("git", "git is installed");
  return warn(
    "git",
    "git is not on PATH: generations do not name their commit",
    "Install git, or set PATH for the daemon.",
  );
}

/** Makes a sandbox, with nothing in it. `undefined` where there is no program to make it with. */
export function namespaces(path: string | undefined): Promise<HostFinding | undefined> {
  if (!isOnPath("bwrap", path)) return Promise.resolve(undefined);
  const { promise, resolve } = Promise.withResolvers<HostFinding>();
  const words = ["--unshare-all", "--ro-bind", "/", "/", "true"];
  execFile("bwrap", words, { timeout: 5000, env: { PATH: path } }, (error, _out, said) => {
    if (!error) return resolve(ok("namespaces", "sandboxes can be made by this user"));
    const [why = "it did not end"] = said.trim().split("\n");
    resolve(
      warn(
        "namespaces",
        `this user cannot make a sandbox: ${why}`,
        "Allow user namespaces: `sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000` as root; on Ubuntu also `kernel.apparmor_restrict_unprivileged_userns=0`; in a container, give it that right.",
      ),
    );
  });
  return promise;
}

function isOnPath(program: string, path = ""): boolean {
  return path.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return directory !== "";
    } catch {
      return false;
    }
  });
}
