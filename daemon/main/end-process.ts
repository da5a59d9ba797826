/**
 * The end of the daemon's process. Node's own way waits for every thread: of its pool, which a dead disk may hold for ever, and of workers, which wait
 * for theirs. The kernel's way waits for none.
 */
import { flushCompileCache } from "node:module";

/** `process.emit("exit")` has been heard by all, as at Node's own end. */
export function endProcess(code: number): never {
  process.exitCode = code;
  process.emit("exit", code);
  flushCompileCache();
  endAtOnce(import.meta.url, code);
  process.exit(code);
}

/** Returns where there is no way to the C library. `base` is an address that packages are looked for from. Also handed to a thread as text, so it uses nothing outside of itself. */
export function endAtOnce(base: string, code: number): void {
  try {
    const { constants } = process.getBuiltinModule("node:fs");
    const require = process.getBuiltinModule("node:module").createRequire(base);
    const library = (require("koffi") as typeof import("koffi")).load(null);
    const fcntl = library.func("int fcntl(int descriptor, int command, ...)");
    const [getFlags, setFlags] = [3, 4];
    // What is shared with other programs would stay as Node has set it.
    for (const stream of [0, 1, 2]) {
      const flags = fcntl(stream, getFlags);
      if (flags >= 0) fcntl(stream, setFlags, "int", flags & ~constants.O_NONBLOCK);
    }
    library.func("void _exit(int code)")(code);
  } catch {
    // It cannot be loaded.
  }
}
