/** Directories that a run which starts there does not make writable. */

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

/** A directory of the system or of several users. A run that starts there does not make it writable. */
export function isSystemDirectory(path: string): boolean {
  if (sharedDirectories.includes(path)) return true;
  return systemTrees.includes(path.split("/")[1] ?? "") && !sourceTrees.test(path);
}
