/** The documents an editor has open, kept so that a server that was started again can be told of them. */
import { type EditorPosition, offsetOf } from "../editor/position.js";
import { isRecord } from "../effective/layer.js";
import { at } from "./message.js";

interface Document {
  readonly languageId: unknown;
  readonly version: unknown;
  readonly text: string;
}

export class Documents {
  readonly #open = new Map<string, Document>();

  /** Takes over `textDocument/didOpen`, `didChange` and `didClose`. */
  take(method: string, params: unknown): void {
    const document = at(params, "textDocument");
    const uri = at(document, "uri");
    if (typeof uri !== "string") return;
    if (method === "textDocument/didClose") this.#open.delete(uri);
    if (method === "textDocument/didOpen") {
      const text = at(document, "text");
      const { languageId, version } = document as Record<string, unknown>;
      this.#open.set(uri, { languageId, version, text: typeof text === "string" ? text : "" });
    }
    const before = this.#open.get(uri);
    const changes = at(params, "contentChanges");
    if (method !== "textDocument/didChange" || !before || !Array.isArray(changes)) return;
    const text = changes.reduce<string>(edited, before.text);
    this.#open.set(uri, { ...before, version: at(document, "version"), text });
  }

  get(uri: string): { readonly text: string } | undefined {
    return this.#open.get(uri);
  }

  /** Parameters of `textDocument/didOpen`. */
  get opening(): readonly unknown[] {
    return [...this.#open].map(([uri, document]) => ({ textDocument: { uri, ...document } }));
  }

  /** Parameters of a `textDocument/didChange` that changes nothing: it makes a server look again. */
  get nudges(): readonly unknown[] {
    return [...this.#open].map(([uri, { version }]) => ({
      textDocument: { uri, version },
      contentChanges: [],
    }));
  }
}

/** Positions count UTF-16 code units, as the protocol does unless both sides agree on something else. */
function edited(text: string, change: unknown): string {
  const inserted = at(change, "text");
  if (typeof inserted !== "string") return text;
  const range = at(change, "range");
  if (!isRecord(range)) return inserted;
  const start = offsetOf(text, range.start as EditorPosition);
  const end = offsetOf(text, range.end as EditorPosition);
  return text.slice(0, start) + inserted + text.slice(end);
}
