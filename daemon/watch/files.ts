/** The `files` service: plugins watch files as the daemon watches its configuration. */
import { isAbsolute } from "node:path";
import { errorMessage, ReeveError } from "../errors.js";
import type { Clock, Log } from "../plugin-api/context.js";
import type { FileSet, Files, Watch, WatchOptions } from "../plugin-api/files.js";
import { StableWatcher } from "./stable-watcher.js";

const DEFAULT_QUIET_TIME = 150;
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** `close` ends all open watches. */
export function createFileService(options: {
  readonly log: Log;
  readonly clock: Clock;
}): Files & { close(): Promise<void> } {
  const open = new Set<StableWatcher>();

  async function watch(
    patterns: readonly string[],
    {
      applyFiles: quietTime = DEFAULT_QUIET_TIME,
      maxBytes = DEFAULT_MAX_BYTES,
      maxWait,
      contents,
    }: WatchOptions,
    changed: (files: FileSet) => void,
  ): Promise<Watch> {
    const relative = patterns.find((pattern) => !isAbsolute(pattern));
    if (relative !== undefined) {
      throw new ReeveError("path_not_absolute", `The path ${relative} to watch is not absolute.`, {
        help: "Resolve it against the directory of the configuration.",
      });
    }
    const limits = { maxBytes, maxWait, contents };
    const watching = new StableWatcher({ ...options, ...limits, quietTime, changed });
    open.add(watching);
    const close = async (): Promise<void> => {
      open.delete(watching);
      await watching.close();
    };
    try {
      changed(await watching.watchStable(patterns));
    } catch (thrown) {
      await close();
      throw new ReeveError(
        "watch_failed",
        `The files cannot be watched: ${errorMessage(thrown)}.`,
        {
          cause: thrown,
        },
      );
    }
    return { close };
  }

  return {
    watch,
    close: async () => {
      await Promise.all([...open].map((watching) => watching.close()));
      open.clear();
    },
  };
}
