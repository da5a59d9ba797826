/** Directories that a run which starts there does not make writable. */
import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { isDirectory } from "./paths.js";

/** Never writable as a workspace: these and everything below, … */
const systemTrees = [
  "bin",
  "boot",
  "dev",
  "etc",
  "lib",
  "lib32",
  "lib64",
  "libx32",
  "proc",
  "run",
  "sbin",
  "sys",
  "usr",
];
/** … these themselves, because they hold the files of several users, … */
const sharedDirectories = ["/", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/var"];
/** … except these, which are for sources. */
const sourceTrees = /^\/usr\/(?:local\/)?src\//;

/** Files of several users, or of several purposes, are in it. */
export const isShared = (path: string): boolean => sharedDirectories.includes(path);

/** A directory of the system or of several users. A run that starts there does not make it writable. */
export function isSystemDirectory(path: string): boolean {
  if (isShared(path)) return true;
  return systemTrees.includes(path.split("/")[1] ?? "") && !sourceTrees.test(path);
}

/** Kernel files that give a root caller too much control or information. */
export const kernelFiles = ["/proc/sysrq-trigger", "/proc/kcore", "/proc/keys", "/proc/timer_list"];

/** Top-level directories that the sandbox has of its own. */
export const madeAnew = new Set([
  "proc",
  "dev",
  "tmp",
  "run",
  "home",
  "root",
  "host",
  "lost+found",
]);

/** The directories of the host without a required mount point, outermost first. */
export function rebuiltFor(targets: readonly string[]): Set<string> {
  const rebuilt = new Set<string>();
  for (const target of targets) {
    if (existsSync(target) || madeAnew.has(target.split("/")[1] ?? "")) continue;
    let existing = dirname(target);
    while (!isDirectory(existing)) existing = dirname(existing);
    for (let path = realpathSync(existing); path !== "/"; path = dirname(path)) rebuilt.add(path);
  }
  return new Set([...rebuilt].sort());
}
