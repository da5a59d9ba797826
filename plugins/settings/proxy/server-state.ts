/** What a server that is started again must know, and what its predecessor left with the editor. */
import { isRecord } from "../effective/layer.js";
import { Documents } from "./documents.js";
import { answerId, at, type Id, idOf, isRequest, type Message, parsed } from "./message.js";

interface LeftBehind {
  /** Parameters of `client/unregisterCapability`, if the server had registered anything. */
  readonly registrations: unknown;
  /** Requests of the editor that get no answer any more. */
  readonly requests: readonly Id[];
}

export class ServerState {
  readonly documents = new Documents();
  #initialize: Message | undefined;
  /** Changes of the workspace folders since `initialize`, oldest first. */
  readonly #folderEvents: unknown[] = [];
  /** Capabilities that the server has registered with the editor: the method, by id. */
  readonly #registrations = new Map<string, string>();
  /** Requests of the editor that the server has yet to answer: their methods, by id. */
  readonly #owed = new Map<Id, string>();
  /** Requests of the server that the editor has yet to answer, with the number of each id. */
  readonly #unanswered = new Map<Id, number>();
  /** Those of servers that are gone. */
  readonly #orphaned = new Map<Id, number>();

  get capabilities(): unknown {
    return at(this.#initialize, "params", "capabilities");
  }

  get initializationOptions(): unknown {
    return at(this.#initialize, "params", "initializationOptions");
  }

  get isOrphaned(): boolean {
    return this.#orphaned.size > 0;
  }

  /** Whether the editor waits for the answer to `initialize`. */
  get isInitializing(): boolean {
    return [...this.#owed.values()].includes("initialize");
  }

  fromEditor(message: Message): void {
    const { method, params } = message;
    const id = idOf(message);
    if (method === undefined) {
      if (id !== undefined) this.answered(id);
      return;
    }
    if (id !== undefined) this.#owed.set(id, method);
    if (method === "initialize") this.#initialize = message;
    if (method.startsWith("textDocument/did")) this.documents.take(method, params);
    if (method === "workspace/didChangeWorkspaceFolders") {
      this.#folderEvents.push(at(params, "event"));
    }
  }

  fromServer(body: Buffer): void {
    if (this.#owed.size > 0) {
      const answered = answerId(body);
      if (answered !== undefined) this.#owed.delete(answered);
    }
    const message = isRequest(body) ? parsed(body) : undefined;
    const id = message && idOf(message);
    if (message?.method === undefined || id === undefined) return;
    const { method, params } = message;
    count(this.#unanswered, id, 1);
    if (method === "client/registerCapability") {
      for (const { id: key, method: registered } of recordsAt(params, "registrations")) {
        if (typeof key === "string") this.#registrations.set(key, String(registered));
      }
    }
    // The protocol spells it so.
    if (method === "client/unregisterCapability") {
      for (const { id: key } of recordsAt(params, "unregisterations")) {
        this.#registrations.delete(String(key));
      }
    }
  }

  /** The editor has answered. Whether the server that asked is gone. */
  answered(id: Id): boolean {
    if (this.#orphaned.has(id)) {
      count(this.#orphaned, id, -1);
      return true;
    }
    count(this.#unanswered, id, -1);
    return false;
  }

  /** The server has ended. The editor goes on waiting for `initialize`: the next server answers it. */
  end(): LeftBehind {
    for (const [id, times] of this.#unanswered) count(this.#orphaned, id, times);
    this.#unanswered.clear();
    const unregisterations = Array.from(this.#registrations, ([id, method]) => ({ id, method }));
    this.#registrations.clear();
    const owed = [...this.#owed].filter(([, method]) => method !== "initialize");
    const requests = owed.map(([id]) => id);
    for (const id of requests) this.#owed.delete(id);
    const registrations = unregisterations.length > 0 ? { unregisterations } : undefined;
    return { registrations, requests };
  }

  /** The editor's `initialize` as it would be now; with its own id unless another is given. */
  initializeMessage(id?: Id): Message | undefined {
    if (!this.#initialize) return undefined;
    const { params } = this.#initialize;
    const folders = at(params, "workspaceFolders");
    const workspaceFolders = this.#folderEvents.reduce<unknown>(changedFolders, folders);
    return {
      ...this.#initialize,
      ...(id === undefined ? {} : { id }),
      ...(isRecord(params) && workspaceFolders !== undefined
        ? { params: { ...params, workspaceFolders } }
        : {}),
    };
  }
}

const recordsAt = (params: unknown, name: string): readonly Readonly<Record<string, unknown>>[] => {
  const list = at(params, name);
  return Array.isArray(list) ? list.filter(isRecord) : [];
};

function count(counts: Map<Id, number>, id: Id, times: number): void {
  const left = (counts.get(id) ?? 0) + times;
  if (left > 0) counts.set(id, left);
  else counts.delete(id);
}

function changedFolders(folders: unknown, event: unknown): unknown {
  const before = Array.isArray(folders) ? folders.filter(isRecord) : [];
  const removed = new Set(recordsAt(event, "removed").map(({ uri }) => uri));
  return [...before.filter(({ uri }) => !removed.has(uri)), ...recordsAt(event, "added")];
}
