/** A request to a hook of a file, and the log of its decision. */
import type { FieldValues } from "./value.js";

/** As received. */
export interface ReceivedRequest {
  /** As sent. */
  readonly method: string;
  /** Without the question mark. */
  readonly query: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** `192.0.2.7:4711`; `@` on a unix socket. */
  readonly remoteAddress: string;
  readonly body: Uint8Array;
}

export interface FileRequest {
  readonly method: string;
  readonly remoteAddress: string;
  readonly headers: FieldValues;
  readonly query: FieldValues;
  /** `undefined`: not parsed. */
  readonly payload: FieldValues | undefined;
  /** The value of `raw-request-body`. */
  readonly rawText: string;
  /** For signatures. */
  readonly body: Uint8Array;
}

/** Writes one line to the log; some lines of the existing server do not name their request. */
export type WriteNote = (line: string, of?: "server") => void;
