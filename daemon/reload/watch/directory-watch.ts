/** One watched directory: tells that something happened in it, and to which name. */
import { basename } from "node:path";
import { watch } from "chokidar";

export interface DirectoryWatch {
  /** Whether the directory itself was removed or moved away: nothing more is heard from it. */
  readonly dead: boolean;
  close(): Promise<void>;
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
  const watcher = watch(path, {
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
    .on("ready", () => resolve());
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
