import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The real path of a file, so that a mount does not replace a link in `/etc`. */
export function resolved(path: string): string {
  for (let at = path, hops = 0; hops < 8; hops += 1) {
    const kind = lstatSync(at, { throwIfNoEntry: false });
    if (!kind?.isSymbolicLink()) {
      return existsSync(dirname(at)) ? join(realpathSync(dirname(at)), basename(at)) : at;
    }
    at = join(readlinkSync(at).startsWith("/") ? "/" : dirname(at), readlinkSync(at));
  }
  return path;
}
