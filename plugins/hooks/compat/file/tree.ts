/** A hooks file as a tree, whatever its syntax. Every node has a position. */
import type { FilePosition } from "../hook.js";

export type HooksFileNode =
  | {
      readonly kind: "scalar";
      readonly text: string;
      /** Without quotes: it may be a number, a boolean or null. */
      readonly plain: boolean;
      readonly position: FilePosition;
    }
  | {
      readonly kind: "list";
      readonly items: readonly HooksFileNode[];
      readonly position: FilePosition;
    }
  | {
      readonly kind: "map";
      readonly members: readonly HooksFileMember[];
      readonly position: FilePosition;
    };

export interface HooksFileMember {
  readonly name: string;
  readonly value: HooksFileNode;
  readonly position: FilePosition;
}

/** A mistake in a file. */
export interface HooksFileIssue {
  readonly position: FilePosition;
  /** In one sentence, without a full stop. */
  readonly message: string;
  readonly help?: string;
}

export type TreeReading =
  | { readonly ok: true; readonly tree: HooksFileNode | undefined }
  | { readonly ok: false; readonly complaint: HooksFileIssue };

/** Far more than a thousand hooks have; a few lines of aliases can exceed it. */
export const MAX_NODES = 1_000_000;
export const MAX_DEPTH = 200;
