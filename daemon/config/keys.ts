/** Keys of blocks: how a block is named in expressions, plans and everywhere else. */

import type { BlockKey } from "./program.js";
import { quoteString } from "./values/render.js";

/** `hook.deploy`, `hook["deploy-api"]`, `acme.chat.ops`. */
export function blockKey(kind: string, labels: readonly string[]): BlockKey {
  return kind + labels.map(keyPart).join("");
}

export const keyPart = (label: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(label) ? `.${label}` : `[${quoteString(label)}]`;

/** `hook "deploy-api"`: the block's header, for messages. */
export const blockHeader = (kind: string, labels: readonly string[]): string =>
  [kind, ...labels.map(quoteString)].join(" ");
