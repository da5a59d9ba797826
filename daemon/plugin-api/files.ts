/** Watching files the way the daemon watches its own configuration: settled, hashed, symlink swaps and all. */
export interface Files {
  /**
   * Watches one file, or several by pattern (`*` within a name, `**` across directories), absolute.
   * `changed` gets the whole settled set each time it differs, and first when it is ready.
   */
  watch(
    patterns: readonly string[],
    options: WatchOptions,
    changed: (files: FileSet) => void,
  ): Promise<Watch>;
}
export interface WatchOptions {
  /** Milliseconds of quiet before reading. @default 150 */
  readonly applyFiles?: number;
  /** Milliseconds after which a stream of changes is read though it goes on. @default 20 × `applyFiles`, at least 1 s */
  readonly maxWait?: number;
  /** Bytes; larger files are listed with an error instead of content. @default 8 MiB */
  readonly maxBytes?: number;
  /** False: files come with `size` and without content, and larger ones are compared by inode, size and times. @default true */
  readonly contents?: boolean;
}
export interface FileSet {
  /** In the order of their paths. */
  readonly files: readonly WatchedFile[];
}
export interface WatchedFile {
  readonly path: string;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
  readonly content: Uint8Array;
  /** Bytes; with `contents: false`. */
  readonly size?: number;
  /** Instead of content: `not found`, `is a directory`, `permission denied`, `larger than 8 MiB`. */
  readonly error?: string;
}
export interface Watch {
  close(): Promise<void>;
}
