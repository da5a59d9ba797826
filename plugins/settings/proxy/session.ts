/**
 * One editor and one server, with the settings put in between. Everything that is not about settings goes by as the
 * bytes it came in.
 */
import { isDeepStrictEqual } from "node:util";
import { changesBetween, type EffectiveSetting } from "../effective/effective.js";
import { isRecord } from "../effective/layer.js";
import { Documents } from "./documents.js";
import { frameOf, type RpcFrame } from "./frames.js";
import { MergedLayers, type Preference, type SettingsPush } from "./layers.js";
import { at, containsWord, type Id, type Message, parsed, wordBuffers } from "./message.js";

export interface Ends {
  toEditor(bytes: Buffer): void;
  toServer(bytes: Buffer): void;
}

/** Ids of the proxy's own requests begin like this; answers to them stay here. */
const OWN = "reeve:";
const FROM_SERVER = wordBuffers("workspace/configuration", OWN);
const OWN_ANSWER = wordBuffers(OWN);
const CONFIGURATION = wordBuffers("workspace/didChangeConfiguration");
/** Bytes of an answer that is parsed to learn its id. */
const LONG = 64 * 1024;
/** JSON-RPC: the server that was asked has gone. */
const CONTENT_MODIFIED = -32801;

export class Session {
  readonly #ends: Ends;
  readonly #mergedLayers: MergedLayers;
  readonly #documents = new Documents();
  #delivered: readonly EffectiveSetting[] | undefined;
  #initialize: Message | undefined;
  /** The editor's settings from before anything was delivered. */
  #early: Readonly<Record<string, unknown>> | undefined;
  #initialized = false;
  #ending = false;
  #ownIds = 0;
  /** The id of the request that wakes a server that was started again. */
  #waking: string | undefined;
  readonly #waiting: RpcFrame[] = [];
  /** Requests of the server for settings that the editor has yet to answer, by id. */
  readonly #pulls = new Map<Id, readonly unknown[]>();
  /** Requests of the editor that the server has yet to answer. */
  readonly #openRequests = new Set<Id>();

  constructor(ends: Ends, preference: Preference) {
    this.#ends = ends;
    this.#mergedLayers = new MergedLayers(preference);
  }

  /** Whether the editor has asked the server to end. */
  get ending(): boolean {
    return this.#ending;
  }

  /** From the daemon: at the start, and whenever something has changed. */
  deliver(delivery: SettingsPush): void {
    const first = this.#mergedLayers.section === undefined;
    this.#mergedLayers.delivery = delivery;
    if (first) this.#takeEarly();
    if (this.#initialized && this.#waking === undefined) this.#push();
  }

  fromEditor(frame: RpcFrame): void {
    if (this.#waking !== undefined) {
      this.#waiting.push(frame);
      return;
    }
    const { bytes, body } = frame;
    if (containsWord(body, CONFIGURATION)) {
      const message = parsed(body);
      if (message?.method === "workspace/didChangeConfiguration") {
        const rewritten = this.#rewritten(message);
        this.#ends.toServer(rewritten ? frameOf(rewritten) : bytes);
        return;
      }
    }
    if (this.#pulls.size > 0 || containsWord(body, OWN_ANSWER)) {
      const message = parsed(body);
      if (message && message.method === undefined && this.#handleAnswer(message)) return;
    }
    // Forward first; notes follow.
    this.#ends.toServer(bytes);
    const message = parsed(body);
    if (message) this.#note(message);
  }

  fromServer({ bytes, body }: RpcFrame): void {
    const message = containsWord(body, FROM_SERVER) ? parsed(body) : undefined;
    if (message?.method === "workspace/configuration" && this.#answerPull(message)) return;
    if (typeof message?.id === "string" && message.id.startsWith(OWN) && !message.method) {
      if (message.id === this.#waking) this.#restoreServer();
      return;
    }
    this.#ends.toEditor(bytes);
    this.#closeRequest(body);
  }

  /** The server has ended by itself. Requests that it owes an answer get one. */
  serverGone(): void {
    this.#pulls.clear();
    const error = { code: CONTENT_MODIFIED, message: "The language server is started again." };
    for (const id of this.#openRequests)
      this.#ends.toEditor(frameOf({ jsonrpc: "2.0", id, error }));
    this.#openRequests.clear();
  }

  /** Restores the state in a restarted server. */
  serverBack(): void {
    if (!this.#initialize) return;
    this.#waking = this.#ownId();
    this.#ends.toServer(frameOf({ ...this.#initialize, id: this.#waking }));
  }

  /** It has answered, and may be told more. What the editor has said meanwhile comes last. */
  #restoreServer(): void {
    this.#waking = undefined;
    if (this.#initialized) {
      this.#notifyServer("initialized", {});
      for (const params of this.#documents.opening) {
        this.#notifyServer("textDocument/didOpen", params);
      }
      this.#delivered = undefined;
      this.#push();
    }
    for (const frame of this.#waiting.splice(0)) this.fromEditor(frame);
  }

  // ---------------------------------------------------------------- what an editor says

  #note(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) return;
    if (id !== undefined && id !== null) this.#openRequests.add(id);
    if (method.startsWith("textDocument/did")) this.#documents.take(method, params);
    if (method === "shutdown" || method === "exit") this.#ending = true;
    if (method === "initialize") {
      this.#initialize = message;
      if (this.#mergedLayers.section !== undefined) this.#takeEarly();
    }
    if (method === "initialized") {
      this.#initialized = true;
      this.#push();
    }
  }

  /** The editor's settings with ours in their place; `undefined` where there is nothing to put there. */
  #rewritten(message: Message): Message | undefined {
    const settings = at(message, "params", "settings");
    if (!isRecord(settings)) return undefined;
    if (this.#mergedLayers.section === undefined) {
      this.#early = settings;
      return undefined;
    }
    const own = this.#mergedLayers.partOf(settings);
    if (own !== undefined) this.#takeEditor(own);
    this.#delivered = this.#mergedLayers.settings;
    return {
      ...message,
      params: { ...(message.params as object), settings: this.#mergedLayers.into(settings) },
    };
  }

  /** What the editor has said before anything was delivered, or as it started the server. */
  #takeEarly(): void {
    const pushed = this.#early && this.#mergedLayers.partOf(this.#early);
    const options = at(this.#initialize, "params", "initializationOptions");
    this.#takeEditor(pushed ?? this.#mergedLayers.knownOf(options));
  }

  #takeEditor(said: unknown): void {
    for (const refusal of this.#mergedLayers.setEditor(said)) {
      const message = `Reeve leaves out a setting of the editor: ${refusal}.`;
      const params = { type: 2, message };
      this.#ends.toEditor(frameOf({ jsonrpc: "2.0", method: "window/logMessage", params }));
    }
  }

  // ---------------------------------------------------------------- a server asks for settings

  /** Whether the question is dealt with. */
  #answerPull(message: Message): boolean {
    const items = at(message, "params", "items");
    const { id } = message;
    if (!Array.isArray(items) || id === undefined || id === null) return false;
    const sections = items.map((item) => at(item, "section"));
    const isOurs = (section: unknown): boolean =>
      typeof section === "string" && this.#mergedLayers.answerTo(section) !== undefined;
    const canAsk = at(this.#capabilities, "workspace", "configuration") === true;
    if (!canAsk) {
      // Some servers ask whether they may or not; an editor that cannot answer is not bothered.
      this.#answer(
        id,
        sections,
        sections.map(() => null),
      );
      return true;
    }
    if (sections.some(isOurs)) this.#pulls.set(id, sections);
    return false;
  }

  /** Whether it was an answer to a question about settings; those are answered here. */
  #handleAnswer({ id, result }: Message): boolean {
    if (typeof id === "string" && id.startsWith(OWN)) return true;
    const sections = id === undefined || id === null ? undefined : this.#pulls.get(id);
    if (!sections || id === undefined || id === null) return false;
    this.#pulls.delete(id);
    const said = Array.isArray(result) ? result : [];
    const own = sections.indexOf(this.#mergedLayers.section);
    if (own >= 0) this.#takeEditor(said[own]);
    this.#answer(id, sections, said);
    return true;
  }

  #answer(id: Id, sections: readonly unknown[], said: readonly unknown[]): void {
    const result = sections.map((section, index) => {
      const ours = typeof section === "string" ? this.#mergedLayers.answerTo(section) : undefined;
      return ours ? ours.value : (said[index] ?? null);
    });
    if (sections.includes(this.#mergedLayers.section))
      this.#delivered = this.#mergedLayers.settings;
    this.#ends.toServer(frameOf({ jsonrpc: "2.0", id, result }));
  }

  // ---------------------------------------------------------------- delivery

  /** Tells the server everything, if anything is different from what it was told last. */
  #push(): void {
    const { section, settings, fullSet } = this.#mergedLayers;
    if (section === undefined) return;
    const before = this.#delivered;
    if (before && isDeepStrictEqual(valuesOf(before), valuesOf(settings))) return;
    this.#delivered = settings;
    this.#notifyServer("workspace/didChangeConfiguration", { settings: { [section]: fullSet } });
    if (!before) return;
    const live = new Set(changesBetween(before, settings).map((change) => change.live));
    if (live.has("request") || live.has("unknown")) this.#refresh();
    if (live.has("diagnostics")) {
      for (const params of this.#documents.nudges) {
        this.#notifyServer("textDocument/didChange", params);
      }
    }
  }

  /** What the editor shows was made with the settings before. */
  #refresh(): void {
    for (const [capability, method] of [
      ["semanticTokens", "workspace/semanticTokens/refresh"],
      ["inlayHint", "workspace/inlayHint/refresh"],
    ] as const) {
      if (at(this.#capabilities, "workspace", capability, "refreshSupport") !== true) continue;
      this.#ends.toEditor(frameOf({ jsonrpc: "2.0", id: this.#ownId(), method }));
    }
  }

  get #capabilities(): unknown {
    return at(this.#initialize, "params", "capabilities");
  }

  #notifyServer(method: string, params: unknown): void {
    this.#ends.toServer(frameOf({ jsonrpc: "2.0", method, params }));
  }

  #ownId(): string {
    this.#ownIds += 1;
    return `${OWN}${this.#ownIds}`;
  }

  /** Takes an answered request off the list. Of a long answer the id stands at one of its ends. */
  #closeRequest(body: Buffer): void {
    if (this.#openRequests.size === 0) return;
    const id = body.length <= LONG ? answerId(parsed(body)) : idAtTheEnds(body);
    if (id !== undefined) this.#openRequests.delete(id);
  }
}

const valuesOf = (settings: readonly EffectiveSetting[]): unknown =>
  settings.map(({ key, value }) => [key, value]);

function answerId(message: Message | undefined): Id | undefined {
  return message?.method === undefined ? (message?.id ?? undefined) : undefined;
}

/** Without reading all of it. A request whose answer is missed here is answered twice at worst, when a server dies. */
function idAtTheEnds(body: Buffer): Id | undefined {
  const head = body.toString("latin1", 0, 200);
  const tail = body.toString("latin1", body.length - 200);
  const [, id] =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")/.exec(head) ??
    /"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail) ??
    [];
  return id === undefined ? undefined : (JSON.parse(id) as Id);
}
