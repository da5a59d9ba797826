/** A hooks file as a tree, whichever syntax it is written in. Every node knows its place. */
import type { FilePosition } from "../hook.js";

export type Node =
  | {
      readonly kind: "scalar";
      readonly text: string;
      /** Written without quotes: it may be a number, a truth or nothing. */
      readonly plain: boolean;
      readonly place: FilePosition;
    }
  | { readonly kind: "list"; readonly items: readonly Node[]; readonly place: FilePosition }
  | { readonly kind: "map"; readonly members: readonly Member[]; readonly place: FilePosition };

export interface Member {
  readonly name: string;
  readonly value: Node;
  readonly place: FilePosition;
}

/** One complaint about a file. */
export interface Complaint {
  readonly place: FilePosition;
  /** In one sentence, without a full stop. */
  readonly message: string;
  readonly help?: string;
}

export type TreeReading =
  | { readonly ok: true; readonly tree: Node | undefined }
  | { readonly ok: false; readonly complaint: Complaint };

/** Far more than a file of a thousand hooks has; aliases can say as much in a few lines. */
export const MAX_NODES = 1_000_000;
export const MAX_DEPTH = 200;
