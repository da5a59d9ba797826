/**
 * One editor and one server, with the settings put in between. Everything that is not about settings goes by as the
 * bytes it came in.
 */
import { isDeepStrictEqual } from "node:util";
import { changesBetween, type EffectiveSetting } from "../effective/effective.js";
import { isRecord } from "../effective/layer.js";
import { frameOf, type RpcFrame } from "./frames.js";
import {
  itemOf,
  MergedLayers,
  type Preference,
  type SettingsItem,
  type SettingsPush,
} from "./layers.js";
import { at, containsWord, type Id, idOf, type Message, parsed, wordBuffers } from "./message.js";
import { ServerState } from "./server-state.js";

export interface Ends {
  toEditor(bytes: Buffer): void;
  toServer(bytes: Buffer): void;
  /** Calls `what` after some milliseconds. */
  later(what: () => void, milliseconds: number): void;
}

/** Ids of the proxy's own requests begin like this; answers to them stay here. */
const OWN = "reeve:";
const FROM_SERVER = wordBuffers("workspace/configuration", OWN);
const OWN_ANSWER = wordBuffers(OWN);
const CONFIGURATION = wordBuffers("workspace/didChangeConfiguration");
/** JSON-RPC: the server is gone. */
const CONTENT_MODIFIED = -32801;
/** Milliseconds that a server has to ask for its settings by itself before they are pushed. */
const ASKS_WITHIN = 250;

export class Session {
  readonly #ends: Ends;
  readonly #mergedLayers: MergedLayers;
  readonly #state = new ServerState();
  #delivered: readonly EffectiveSetting[] | undefined;
  /** The editor's settings from before anything was delivered. */
  #early: Readonly<Record<string, unknown>> | undefined;
  #initialized = false;
  #ending = false;
  #ownIds = 0;
  /** `waking`: it was started again, and has yet to answer `initialize`. */
  #server: "running" | "gone" | "waking" = "running";
  /** The id of the request that wakes it. */
  #waking: string | undefined;
  /** Counts the servers, so that a timer of one does not concern the next. */
  #lives = 0;
  /** Whether the first settings wait for the server to ask. */
  #holding = false;
  readonly #waiting: RpcFrame[] = [];
  /** Requests of the server for settings that the editor has yet to answer, by id. */
  readonly #questions = new Map<Id, readonly SettingsItem[]>();
  /** What the editor's log has been told. */
  readonly #refusals = new Set<string>();

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
    const first = !this.#mergedLayers.isDelivered;
    this.#mergedLayers.delivery = delivery;
    if (first) this.#takeEarly();
    if (this.#initialized && this.#server === "running" && !this.#holding) this.#push();
  }

  fromEditor(frame: RpcFrame): void {
    if (this.#server !== "running") {
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
    const mayStay = this.#questions.size > 0 || this.#state.isOrphaned;
    if (mayStay || containsWord(body, OWN_ANSWER)) {
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
    this.#state.fromServer(body);
  }

  /** The server has ended by itself. Requests that it owes an answer get one, apart from `initialize`. */
  serverGone(): void {
    this.#server = "gone";
    this.#questions.clear();
    const { registrations, requests } = this.#state.end();
    if (registrations) this.#ask("client/unregisterCapability", registrations);
    const error = { code: CONTENT_MODIFIED, message: "The language server is started again." };
    for (const id of requests) this.#ends.toEditor(frameOf({ jsonrpc: "2.0", id, error }));
  }

  /** Restores the state in a restarted server. */
  serverBack(): void {
    const { isInitializing } = this.#state;
    this.#waking = isInitializing ? undefined : this.#ownId();
    const initialize = this.#state.initializeMessage(this.#waking);
    if (initialize) this.#ends.toServer(frameOf(initialize));
    this.#server = "waking";
    if (!initialize || isInitializing) this.#restoreServer();
  }

  /** It may be told more. What the editor has said meanwhile comes last. */
  #restoreServer(): void {
    this.#waking = undefined;
    this.#delivered = undefined;
    this.#lives += 1;
    this.#server = "running";
    if (this.#initialized) {
      this.#notifyServer("initialized", {});
      for (const params of this.#state.documents.opening) {
        this.#notifyServer("textDocument/didOpen", params);
      }
      this.#pushFirst();
    }
    for (const frame of this.#waiting.splice(0)) this.fromEditor(frame);
  }

  #note(message: Message): void {
    const { method } = message;
    this.#state.fromEditor(message);
    if (method === "shutdown" || method === "exit") this.#ending = true;
    if (method === "initialize" && this.#mergedLayers.isDelivered) this.#takeEarly();
    if (method === "initialized") {
      this.#initialized = true;
      this.#pushFirst();
    }
  }

  /** The editor's settings with ours in their place; `undefined` where there is nothing to put there. */
  #rewritten(message: Message): Message | undefined {
    const settings = at(message, "params", "settings");
    if (!isRecord(settings)) return undefined;
    if (!this.#mergedLayers.isDelivered) {
      this.#early = settings;
      return undefined;
    }
    this.#takeEditor(this.#mergedLayers.partOf(settings));
    this.#delivered = this.#mergedLayers.settings;
    return {
      ...message,
      params: { ...(message.params as object), settings: this.#mergedLayers.into(settings) },
    };
  }

  /** What the editor has said before anything was delivered, or as it started the server. */
  #takeEarly(): void {
    const pushed = this.#early && this.#mergedLayers.partOf(this.#early);
    this.#takeEditor(pushed ?? this.#mergedLayers.knownOf(this.#state.initializationOptions));
  }

  #takeEditor(said: unknown, item?: SettingsItem): void {
    for (const refusal of this.#mergedLayers.setEditor(said, item)) {
      if (this.#refusals.has(refusal)) continue;
      this.#refusals.add(refusal);
      const message = `Reeve leaves out a setting of the editor: ${refusal}.`;
      const params = { type: 2, message };
      this.#ends.toEditor(frameOf({ jsonrpc: "2.0", method: "window/logMessage", params }));
    }
  }

  /** Whether the question is dealt with. */
  #answerPull(message: Message): boolean {
    const list = at(message, "params", "items");
    const id = idOf(message);
    if (!Array.isArray(list) || id === undefined) return false;
    if (!this.#mergedLayers.isDelivered) this.#holding = false;
    const items = list.map(itemOf);
    const isOurs = items.some((item) => this.#mergedLayers.answerTo(item) !== undefined);
    if (isOurs) this.#holding = false;
    if (!this.#canAsk) {
      // Some servers ask whether they may or not; an editor that cannot answer is not bothered.
      this.#answer(id, items, []);
      return true;
    }
    if (isOurs) this.#questions.set(id, items);
    return false;
  }

  get #canAsk(): boolean {
    return at(this.#state.capabilities, "workspace", "configuration") === true;
  }

  /** Whether the answer stays here: one to the proxy, to a server that is gone, or about settings. */
  #handleAnswer(message: Message): boolean {
    const id = idOf(message);
    if (id === undefined) return false;
    if (typeof id === "string" && id.startsWith(OWN)) return true;
    if (this.#state.isOrphaned && this.#state.answered(id)) return true;
    const items = this.#questions.get(id);
    if (!items) return false;
    this.#questions.delete(id);
    this.#state.answered(id);
    const said = Array.isArray(message.result) ? message.result : [];
    for (const [index, item] of items.entries()) {
      if (item.section !== undefined) this.#takeEditor(said[index], item);
    }
    this.#answer(id, items, said);
    return true;
  }

  #answer(id: Id, items: readonly SettingsItem[], said: readonly unknown[]): void {
    const answers = items.map((item) => this.#mergedLayers.answerTo(item));
    const result = answers.map((ours, index) => (ours ? ours.value : (said[index] ?? null)));
    if (answers.some((ours) => ours !== undefined)) this.#delivered = this.#mergedLayers.settings;
    this.#ends.toServer(frameOf({ jsonrpc: "2.0", id, result }));
  }

  /** A server that can ask for its settings usually does so at once; a push would make it ask a second time. */
  #pushFirst(): void {
    if (!this.#canAsk) {
      this.#push();
      return;
    }
    const life = this.#lives;
    this.#holding = true;
    this.#ends.later(() => {
      if (life !== this.#lives || this.#server !== "running") return;
      this.#holding = false;
      this.#push();
    }, ASKS_WITHIN);
  }

  /** Tells the server everything, if anything is different from what it was told last. */
  #push(): void {
    if (!this.#mergedLayers.isDelivered) return;
    const { settings, pushed } = this.#mergedLayers;
    const before = this.#delivered;
    if (before && isDeepStrictEqual(valuesOf(before), valuesOf(settings))) return;
    this.#delivered = settings;
    this.#notifyServer("workspace/didChangeConfiguration", { settings: pushed });
    if (!before) return;
    const live = new Set(changesBetween(before, settings).map((change) => change.live));
    if (live.has("request") || live.has("unknown")) this.#refresh();
    if (live.has("diagnostics") || live.has("unknown")) {
      for (const params of this.#state.documents.nudges) {
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
      const supports = at(this.#state.capabilities, "workspace", capability, "refreshSupport");
      if (supports === true) this.#ask(method);
    }
  }

  #ask(method: string, params?: unknown): void {
    this.#ends.toEditor(frameOf({ jsonrpc: "2.0", id: this.#ownId(), method, params }));
  }

  #notifyServer(method: string, params: unknown): void {
    this.#ends.toServer(frameOf({ jsonrpc: "2.0", method, params }));
  }

  #ownId(): string {
    this.#ownIds += 1;
    return `${OWN}${this.#ownIds}`;
  }
}

const valuesOf = (settings: readonly EffectiveSetting[]): unknown =>
  settings.map(({ key, value }) => [key, value]);
