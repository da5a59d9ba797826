/** The whole bubblewrap argument list for one command. */
import { type FileView, mountArguments } from "./mounts.js";

export interface SandboxView extends FileView {
  /** Who the command is inside. */
  readonly uid: number;
  readonly gid: number;
  /** Where it starts; exists inside. */
  readonly workingDirectory: string;
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly hostname: string;
}

/** Options only; the command follows after `--`. */
export function sandboxArguments(view: SandboxView): string[] {
  return [
    "--die-with-parent",
    "--unshare-user",
    "--uid",
    String(view.uid),
    "--gid",
    String(view.gid),
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--hostname",
    view.hostname,
    "--cap-drop",
    "ALL",
    "--clearenv",
    ...Object.entries(view.environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...mountArguments(view),
    "--chdir",
    view.workingDirectory,
  ];
}
