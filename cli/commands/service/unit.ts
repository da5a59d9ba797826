/** Reeve's systemd units with this program and one configuration. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TEMPLATE = fileURLToPath(
  new URL("../../../../daemon/systemd/reeve.service", import.meta.url),
);

export interface UnitOptions {
  /** Absolute paths: Node and the script. */
  readonly program: readonly string[];
  /** Absolute path of the configuration's root file. */
  readonly root: string;
  /** The account of a system service; `undefined` for a unit of a user's own manager. */
  readonly account: string | undefined;
}

/** The account that the template names, and a group of the same name. */
export const defaultAccount = "reeve";

/** What a user's own manager cannot grant or restrict, or what has a meaning for system services only. */
const systemOnly =
  /^(User|Group|(Configuration|State|Cache|Runtime)Directory(Mode)?|CapabilityBoundingSet|AmbientCapabilities|Protect\w+|Private\w+|RemoveIPC|Restrict(?!art)\w+|LockPersonality|SystemCall\w+|Wants|After)=/;

/** The text of a unit file. */
export function unitText({ program, root, account }: UnitOptions): string {
  const command = program.map(quoted).join(" ");
  const lines = readFileSync(TEMPLATE, "utf8")
    .replaceAll("/usr/bin/env reeve", () => command)
    .replace("/etc/reeve/main.reeve", () => quoted(root))
    .split("\n");
  if (account === defaultAccount) return lines.join("\n");
  if (account !== undefined) {
    return lines
      .filter((line) => !line.startsWith("Group="))
      .map((line) => line.replace(/^User=.*/, () => `User=${account}`))
      .join("\n");
  }
  return lines
    .filter((line) => !systemOnly.test(line) && !line.startsWith("# MemoryDeny"))
    .map((line) => line.replace("multi-user.target", "default.target"))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

/** A word of a command line in a unit: systemd.service(5), "Command lines". */
function quoted(word: string): string {
  const escaped = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w@%+=:,./$-]+$/.test(escaped)) return escaped;
  return `"${escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The configuration of a unit that `unitText` has made. */
export function rootIn(unit: string): string | undefined {
  const line = unit.split("\n").find((each) => each.startsWith("ExecStart="));
  const [, word] = / up ("(?:[^"\\]|\\.)*"|\S+) --log-format/s.exec(line ?? "") ?? [];
  return word
    ?.replace(/^"(.*)"$/s, (_, text: string) => text.replace(/\\(.)/gs, "$1"))
    .replace(/\$\$|%%/g, (pair) => pair.charAt(0));
}

/** Directories that the unit of a system service hides from the daemon: ProtectHome= and PrivateTmp= of the template. */
const hidden = /^\/(home|root|run\/user|tmp|var\/tmp)(\/|$)/;

/** The first of the paths that a system service would not see. */
export const hiddenPath = (paths: readonly string[]): string | undefined =>
  paths.find((path) => hidden.test(path));
