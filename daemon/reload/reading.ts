/** Reads a consistent configuration from disk: what was read equals the disk afterwards. */
import { limits } from "../config/limits.js";
import type { HostProbe, Loaded, PluginCatalog } from "../config/program.js";
import type { Clock } from "../plugin-api/context.js";
import type { FileSet } from "../plugin-api/files.js";
import { fileSetDigest, hashOf } from "../watch/read-files.js";
import type { StableWatcher } from "../watch/stable-watcher.js";
import { loadWith, type PluginCode } from "./load-with-code.js";
import { RecordingDisk, type Snapshot } from "./snapshot.js";

export interface ConfigurationRead {
  readonly loaded: Loaded;
  readonly code: PluginCode;
  readonly snapshot: Snapshot;
  /** Hash over everything that was read, including the plugins' code: equal for an equal disk. */
  readonly hash: string;
}

export interface ReadingOptions {
  readonly root: string;
  readonly catalog: PluginCatalog;
  readonly host?: HostProbe | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Files that never become stable are used as they are after these attempts. */
const TRIES = 10;
/** Milliseconds between two tries. */
const PAUSE = 50;

/** Reads the configuration; `watch` then watches all its files, even if invalid. */
export async function readConfiguration(
  { root, catalog, host, clock, signal }: ReadingOptions,
  watch: StableWatcher,
): Promise<ConfigurationRead> {
  for (let tries = 1; ; tries += 1) {
    const disk = new RecordingDisk();
    const { loaded, code, codeFiles } = await loadWith(root, catalog, disk, host);
    const wanted = [...loaded.watch, ...codeFiles];
    const now = await watch.watch(wanted);
    signal.throwIfAborted();
    if (isSame(disk, wanted, now) || tries === TRIES) {
      const files = now.files.filter(({ path }) => codeFiles.includes(path));
      const hash = hashOf(disk.hash() + fileSetDigest({ files }));
      return { loaded, code, snapshot: disk.snapshot(root), hash };
    }
    await clock.sleep(PAUSE, signal);
  }
}

/** Whether a second read, with all watches in place, equals the first. */
function isSame(disk: RecordingDisk, wanted: readonly string[], { files }: FileSet): boolean {
  const matched = new Set([...disk.matched.values()].flat());
  const there = new Set(files.map(({ path }) => path));
  if ([...matched].some((path) => !there.has(path))) return false;
  return files.every(({ path, hash, error, content: now }) => {
    // Paths outside the configuration's directory are refused unread.
    if (!disk.read.has(path)) return matched.has(path) || wanted.includes(path);
    const content = disk.read.get(path);
    if (content !== undefined) return hash === hashOf(content);
    // Files above the limit are refused unread.
    return error !== undefined || now.byteLength > limits.string;
  });
}
