/** One watched directory: tells that something happened in it, and to which name. */
import { basename } from "node:path";
import { FSWatcher } from "chokidar";

export interface DirectoryWatch {
  /** Whether the directory itself was removed or moved away: nothing more is heard from it. */
  readonly dead: boolean;
  close(): Promise<void>;
}

/**
 * Hears what the system says of a directory and does not list what is in it: who asks for the watch reads the files anyway,
 * and a list with the data of 10,000 entries costs 60 MB and a third of a second.
 */
class Unlisted extends FSWatcher {
  override createScanStream(): undefined {
    return undefined;
  }
}

/**
 * Resolves when the directory is being watched; from then on nothing that happens in it is missed.
 * `happened` gets `null` for what concerns the directory itself. Rejects where the system cannot watch it: out of watches, no permission.
 */
export async function watchDirectory(
  path: string,
  happened: (name: string | null) => void,
  failed: (error: unknown) => void,
): Promise<DirectoryWatch> {
  let dead = false;
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  // The directory's own notifications say enough, so nothing in it is looked at, and no file costs a watch.
  const watcher = new Unlisted({
    depth: 0,
    ignored: (each) => each !== path,
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    backend: "native",
  });
  watcher
    .on("raw", (_event, name) => {
      const isItself = name === null || name === basename(path);
      if (isItself) dead = true;
      happened(isItself ? null : name);
    })
    .on("error", (error) => {
      reject(error);
      failed(error);
    })
    .on("ready", () => resolve())
    .add(path);
  try {
    await ready;
  } catch (error) {
    await watcher.close();
    throw error;
  }
  return {
    get dead() {
      return dead;
    },
    close: () => watcher.close(),
  };
}
