/** What the system allows a process: open files, watched directories. Pure: the texts come from /proc. */
import { type HostFinding, ok, warn } from "./finding.js";

/** Connections, listeners, logs and pipes of commands: a busy day needs more than the usual 1024. */
const FILES = 4096;
const INSTANCES = 64;
const WATCHES = 8192;

/** `limits` is the text of `/proc/self/limits`. Node raises its own limit to the hard one. */
export function openFiles(limits: string | undefined): HostFinding | undefined {
  const [, hard] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits ?? "") ?? [];
  if (hard === undefined) return undefined;
  if (hard === "unlimited" || Number(hard) >= FILES) {
    return ok("open_files", `${hard} open files are allowed`);
  }
  return warn(
    "open_files",
    `only ${hard} open files are allowed`,
    `Raise the limit to ${FILES} or more: LimitNOFILE=${FILES} in the unit, or \`ulimit -Hn ${FILES}\` as root.`,
  );
}

export interface Inotify {
  readonly instances: string | undefined;
  readonly watches: string | undefined;
}

/** The numbers of `/proc/sys/fs/inotify`. Where they are used up, files are looked at again and again instead. */
export function inotify({ instances, watches }: Inotify): HostFinding | undefined {
  if (instances === undefined || watches === undefined) return undefined;
  const found = `${Number(watches)} watches and ${Number(instances)} instances of inotify`;
  const few = [
    ...(Number(watches) < WATCHES ? [`fs.inotify.max_user_watches=${WATCHES}`] : []),
    ...(Number(instances) < INSTANCES ? [`fs.inotify.max_user_instances=${INSTANCES}`] : []),
  ];
  if (few.length === 0) return ok("inotify", `a user may have ${found}`);
  return warn(
    "inotify",
    `a user may have only ${found}, and editors use them too`,
    `Run \`sysctl ${few.join(" ")}\` as root, and write it to /etc/sysctl.d/ to keep it.`,
  );
}
