/** What services are opened with inside the daemon: more than programs may choose. */
import type { ServiceOptions } from "./contract.js";
import type { JournalFiles } from "./runs/journal/files.js";

export interface DaemonServiceOptions extends ServiceOptions {
  /** Files of the journal in the state directory. @default those on the disk */
  readonly journalFiles?: (directory: string) => JournalFiles;
}
