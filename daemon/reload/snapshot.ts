/**
 * Everything on disk that a configuration was made of, so that it can be loaded again when the disk says something
 * else. Secrets are in it by reference only: `secret(…)` is resolved when a generation is prepared, never when it is read.
 */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Source } from "../../grammar/diagnostic.js";
import { type ConfigurationDisk, realDisk } from "../config/disk.js";
import { displayName } from "../config/paths.js";
import { filesMatching } from "../watch/glob-walk.js";
import { hashOf } from "../watch/read-files.js";

export interface Snapshot {
  /** Absolute path of the root file. */
  readonly root: string;
  /** Texts by absolute path. */
  readonly files: Readonly<Record<string, string>>;
  /** What each pattern stood for: absolute paths. */
  readonly globs: Readonly<Record<string, readonly string[]>>;
}

type ReplayedDisk = Pick<ConfigurationDisk, "readFile" | "glob" | "realPath">;

/** A disk that has the snapshot's files and nothing else. */
export function snapshotDisk({ files, globs }: Snapshot): ReplayedDisk {
  return {
    async readFile(path) {
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return new TextEncoder().encode(text);
    },
    glob: async (pattern) => (Object.hasOwn(globs, pattern) ? globs[pattern] : undefined) ?? [],
    // Where links led was judged when the snapshot was taken.
    realPath: async (path) => path,
  };
}

/** The snapshot's texts by the names that diagnostics use. */
export function sourcesOf({ root, files }: Snapshot): ReadonlyMap<string, Source> {
  return new Map(
    Object.entries(files).map(([absolute, text]) => {
      const path = displayName(absolute, dirname(root));
      return [path, { path, text }] as const;
    }),
  );
}

/** The real disk, noting what is read from it. */
export class RecordingDisk implements ReplayedDisk {
  /** Contents by absolute path; `undefined` for what could not be read. */
  readonly read = new Map<string, Uint8Array | undefined>();
  readonly matched = new Map<string, readonly string[]>();

  readonly readFile = async (path: string): Promise<Uint8Array> => {
    this.read.set(path, undefined);
    await refuseWhatNeverEnds(path);
    const content = await realDisk.readFile(path);
    this.read.set(path, content);
    return content;
  };

  readonly glob = async (pattern: string): Promise<readonly string[]> => {
    const paths = await filesMatching(pattern);
    this.matched.set(pattern, paths);
    return paths;
  };

  readonly realPath = realDisk.realPath;

  /** Two reads with the same hash saw the same files with the same contents. */
  hash(): string {
    const lines = [
      ...[...this.read].map(([path, content]) => `${path}\0${content ? hashOf(content) : ""}`),
      ...[...this.matched].map(([pattern, paths]) => [pattern, ...paths].join("\0")),
    ];
    return hashOf(lines.sort().join("\n"));
  }

  snapshot(root: string): Snapshot {
    return {
      root,
      files: Object.fromEntries([...this.read].flatMap(([path, content]) => texts(path, content))),
      globs: Object.fromEntries(this.matched),
    };
  }
}

/** Reading a pipe would block for ever. */
async function refuseWhatNeverEnds(path: string): Promise<void> {
  const stats = await stat(path);
  if (!stats.isFile() && !stats.isDirectory()) throw new Error("it is not a regular file");
}

/** What is no text was refused by the pipeline and is as good as absent. */
function texts(path: string, content: Uint8Array | undefined): ReadonlyArray<[string, string]> {
  if (content === undefined) return [];
  try {
    return [[path, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content)]];
  } catch {
    return [];
  }
}
