/** systemd's manager of the system or of the present user, through `systemctl`. */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { flag } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";

export const unitName = "reeve.service";

/** The option of all commands about the service. */
export const userOption = flag("the service of the present user, without root");

export interface ServiceManager {
  readonly isUser: boolean;
  /** Absolute path of the unit file that `reeve service install` writes. */
  readonly unit: string;
  /** The words of a `systemctl` command. */
  words(...words: readonly string[]): readonly string[];
  /** @returns standard output. @throws Failure when it ends with another code than 0 */
  systemctl(...words: readonly string[]): string;
}

export function serviceManager(
  isUser: boolean,
  { HOME = homedir(), XDG_CONFIG_HOME = join(HOME, ".config") } = process.env,
): ServiceManager {
  const directory = isUser ? join(XDG_CONFIG_HOME, "systemd/user") : "/etc/systemd/system";
  const words = (...more: readonly string[]) => [
    "systemctl",
    ...(isUser ? ["--user"] : []),
    ...more,
  ];
  return {
    isUser,
    unit: join(directory, unitName),
    words,
    systemctl: (...more) => output(words(...more)),
  };
}

const foreground = "Without systemd, have your supervisor run `reeve up` in the foreground.";

/** What `systemctl` says without a manager, and what that means. */
const absent: ReadonlyArray<readonly [says: RegExp, means: string, help: string]> = [
  [/not been booted with systemd/, "systemd does not run on this machine", foreground],
  [
    /connect to .*bus|XDG_RUNTIME_DIR/,
    "the present user has no systemd manager",
    "Log in as this user, or run `loginctl enable-linger USER` as root and set XDG_RUNTIME_DIR to /run/user/UID.",
  ],
];

/** @throws Failure when the program is not there or ends with another code than 0 */
export function output([program = "", ...words]: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (error !== undefined) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new Failure(
      Exit.unavailable,
      isMissing ? `there is no \`${program}\` on this machine` : error.message,
      isMissing && program === "systemctl" ? { help: foreground } : {},
    );
  }
  if (status === 0) return stdout;
  const reason = stderr.trim().split("\n")[0] || `it ended with ${status}`;
  const known = absent.find(([says]) => says.test(reason));
  if (known !== undefined) throw new Failure(Exit.unavailable, known[1], { help: known[2] });
  throw new Failure(Exit.unavailable, `\`${[program, ...words].join(" ")}\` failed: ${reason}`);
}

/** Fields of the unit as the manager has it; `undefined` when it has none. */
export interface UnitState {
  readonly active: string;
  readonly enabled: string;
  readonly pid: number;
  readonly status: string;
  /** Of the unit file in use. */
  readonly path: string;
}

export function unitState({ systemctl }: ServiceManager): UnitState | undefined {
  const fields = ["LoadState", "ActiveState", "UnitFileState", "MainPID", "StatusText"];
  const text = systemctl("show", unitName, "-p", [...fields, "FragmentPath"].join(","));
  const found = Object.fromEntries(
    text.split("\n").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]),
  );
  if (found.LoadState === "not-found") return undefined;
  return {
    active: found.ActiveState ?? "unknown",
    enabled: found.UnitFileState ?? "unknown",
    pid: Number(found.MainPID) || 0,
    status: found.StatusText ?? "",
    path: found.FragmentPath ?? "",
  };
}
