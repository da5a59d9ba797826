/**
 * The programs that run outside the sandbox. A sandboxed command may have written to a directory of the user's PATH, so
 * they come from fixed directories, and only the system's owner may be able to write the file and its parents.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const directories = [
  ...["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"],
  ...["/run/current-system/sw/bin", "/nix/var/nix/profiles/default/bin"],
];
/** The PATH of helpers. */
export const helperPath = directories.join(":");

const found = new Map<string, string>();

/** The real path of a program; a name that cannot be run if this system has none. */
export function helper(program: string): string {
  return findHelper(program) ?? `${directories[0]}/${program}`;
}

export function findHelper(program: string): string | undefined {
  const known = found.get(program);
  if (known !== undefined) return known;
  for (const directory of directories) {
    const file = executable(join(directory, program));
    if (file === undefined || !isTrusted(file)) continue;
    found.set(program, file);
    return file;
  }
  return undefined;
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only root, or the owner of `/` where root has another number, can change the path or a parent of it. */
export function isTrusted(path: string): boolean {
  const { uid, mode } = statSync(path);
  // In a sticky directory others can add files but replace none.
  const others = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
  if (others || (uid !== 0 && uid !== statSync("/").uid)) return false;
  return path === "/" || isTrusted(dirname(path));
}
