/** What a command sees of the file system, from which the mounts follow. */
import { systemSecrets } from "./credentials.js";
import type { HomeLayout } from "./home/layout.js";

/** A mount that the user requested. Paths are absolute; the host path exists. */
export interface Volume {
  readonly host: string;
  readonly sandbox: string;
  readonly mode: "ro" | "rw";
}

export interface FileSystemView {
  /** Absolute. */
  readonly home: string;
  /** Further home directories, read-only: the account's own if `home` is another one. */
  readonly otherHomes: readonly string[];
  /** The private directories of these homes that exist. */
  readonly homes: readonly HomeLayout[];
  /** Exists only where this system mounts no overlay: the homes by their names, and what covers secrets in them. */
  readonly fallback: string;
  /** What the run works on, the directory of its start among them; writable unless `allowWrite` is given. */
  readonly workspaces: readonly string[];
  readonly volumes: readonly Volume[];
  /** If given, only these and private paths are writable. */
  readonly allowWrite?: readonly string[];
  /** Read-only even inside writable directories. A path of `allowWrite` below one is writable. */
  readonly readOnly?: readonly string[];
  /** Files and directories that stay read-only where the command can write. */
  readonly kept?: readonly string[];
  /** The sandbox's own files, by their paths inside. */
  readonly files: ReadonlyMap<string, string>;
  /** A world-readable empty file, which masks others. */
  readonly emptyFile: string;
  /** Directories to hide, such as the run's work directory. */
  readonly hidden: readonly string[];
  /** Files and directories to show empty; a writable path below one is shown. */
  readonly denyRead?: readonly string[];
  /** Paths of UNIX sockets that listen on the host, to mask. */
  readonly hostSockets: readonly string[];
  /** Sockets that the command may use. */
  readonly allowedSockets?: readonly string[];
}

/** Where the command sees something else than the host, apart from masked files. */
export function changedPaths(view: FileSystemView): string[] {
  const { home, otherHomes, workspaces, volumes, allowWrite, readOnly, hidden, files } = view;
  return [
    ...[home, ...otherHomes, ...workspaces, ...(allowWrite ?? []), ...(readOnly ?? [])],
    ...[...hidden, ...(view.denyRead ?? []), ...volumes.map(({ sandbox }) => sandbox)],
    ...[...files.keys(), ...systemSecrets, "/var/tmp"],
  ];
}
