/**
 * One editor and one server, with the settings put in between. Everything that is not about settings goes by as the
 * bytes it came in.
 */
import { isDeepStrictEqual } from "node:util";
import { changesBetween, type Setting } from "../effective/effective.js";
import { Documents } from "./documents.js";
import { type Frame, frameOf } from "./frames.js";
import { MergedLayers, type Preference, type SettingsPush } from "./layers.js";
import { at, type Id, isObject, type Message, mentions, parsed, words } from "./message.js";

export interface Ends {
  toEditor(bytes: Buffer): void;
  toServer(bytes: Buffer): void;
}

/** Ids of the proxy's own requests begin like this; answers to them stay here. */
const OWN = "reeve:";
const FROM_SERVER = words("workspace/configuration", OWN);
const OWN_ANSWER = words(OWN);
const CONFIGURATION = words("workspace/didChangeConfiguration");
/** Bytes of an answer that is parsed to learn its id. */
const LONG = 64 * 1024;
/** JSON-RPC: the server that was asked has gone. */
const CONTENT_MODIFIED = -32801;

export class Session {
  readonly #ends: Ends;
  readonly #blend: MergedLayers;
  readonly #documents = new Documents();
  #delivered: readonly Setting[] | undefined;
  #initialize: Message | undefined;
  /** The editor's settings from before anything was delivered. */
  #early: Readonly<Record<string, unknown>> | undefined;
  #initialized = false;
  #ending = false;
  #ownIds = 0;
  /** The id of the request that wakes a server that was started again. */
  #waking: string | undefined;
  readonly #waiting: Frame[] = [];
  /** Requests of the server for settings that the editor has yet to answer, by id. */
  readonly #pulls = new Map<Id, readonly unknown[]>();
  /** Requests of the editor that the server has yet to answer. */
  readonly #asked = new Set<Id>();

  constructor(ends: Ends, preference: Preference) {
    this.#ends = ends;
    this.#blend = new MergedLayers(preference);
  }

  /** Whether the editor has asked the server to end. */
  get ending(): boolean {
    return this.#ending;
  }

  /** From the daemon: at the start, and whenever something has changed. */
  deliver(delivery: SettingsPush): void {
    const first = this.#blend.section === undefined;
    this.#blend.delivery = delivery;
    if (first) this.#takeEarly();
    if (this.#initialized && this.#waking === undefined) this.#push();
  }

  fromEditor(frame: Frame): void {
    if (this.#waking !== undefined) {
      this.#waiting.push(frame);
      return;
    }
    const { bytes, body } = frame;
    if (mentions(body, CONFIGURATION)) {
      const message = parsed(body);
      if (message?.method === "workspace/didChangeConfiguration") {
        const rewritten = this.#rewritten(message);
        this.#ends.toServer(rewritten ? frameOf(rewritten) : bytes);
        return;
      }
    }
    if (this.#pulls.size > 0 || mentions(body, OWN_ANSWER)) {
      const message = parsed(body);
      if (message && message.method === undefined && this.#answered(message)) return;
    }
    // Nobody waits for what is only noted.
    this.#ends.toServer(bytes);
    const message = parsed(body);
    if (message) this.#note(message);
  }

  fromServer({ bytes, body }: Frame): void {
    const message = mentions(body, FROM_SERVER) ? parsed(body) : undefined;
    if (message?.method === "workspace/configuration" && this.#pulled(message)) return;
    if (typeof message?.id === "string" && message.id.startsWith(OWN) && !message.method) {
      if (message.id === this.#waking) this.#woken();
      return;
    }
    this.#ends.toEditor(bytes);
    this.#settleRequest(body);
  }

  /** The server has ended by itself. Requests that it owes an answer get one. */
  serverGone(): void {
    this.#pulls.clear();
    const error = { code: CONTENT_MODIFIED, message: "The language server is started again." };
    for (const id of this.#asked) this.#ends.toEditor(frameOf({ jsonrpc: "2.0", id, error }));
    this.#asked.clear();
  }

  /** Another server runs in its place: it is told what the one before knew, once it is awake. */
  serverBack(): void {
    if (!this.#initialize) return;
    this.#waking = this.#ownId();
    this.#ends.toServer(frameOf({ ...this.#initialize, id: this.#waking }));
  }

  /** It has answered, and may be told more. What the editor has said meanwhile comes last. */
  #woken(): void {
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
    if (id !== undefined && id !== null) this.#asked.add(id);
    if (method.startsWith("textDocument/did")) this.#documents.take(method, params);
    if (method === "shutdown" || method === "exit") this.#ending = true;
    if (method === "initialize") {
      this.#initialize = message;
      if (this.#blend.section !== undefined) this.#takeEarly();
    }
    if (method === "initialized") {
      this.#initialized = true;
      this.#push();
    }
  }

  /** The editor's settings with ours in their place; `undefined` where there is nothing to put there. */
  #rewritten(message: Message): Message | undefined {
    const settings = at(message, "params", "settings");
    if (!isObject(settings)) return undefined;
    if (this.#blend.section === undefined) {
      this.#early = settings;
      return undefined;
    }
    const own = this.#blend.partOf(settings);
    if (own !== undefined) this.#takeEditor(own);
    this.#delivered = this.#blend.settings;
    return {
      ...message,
      params: { ...(message.params as object), settings: this.#blend.into(settings) },
    };
  }

  /** What the editor has said before anything was delivered, or as it started the server. */
  #takeEarly(): void {
    const pushed = this.#early && this.#blend.partOf(this.#early);
    const options = at(this.#initialize, "params", "initializationOptions");
    this.#takeEditor(pushed ?? this.#blend.knownOf(options));
  }

  #takeEditor(said: unknown): void {
    for (const refusal of this.#blend.setEditor(said)) {
      const message = `Reeve leaves out a setting of the editor: ${refusal}.`;
      const params = { type: 2, message };
      this.#ends.toEditor(frameOf({ jsonrpc: "2.0", method: "window/logMessage", params }));
    }
  }

  // ---------------------------------------------------------------- a server asks for settings

  /** Whether the question is dealt with. */
  #pulled(message: Message): boolean {
    const items = at(message, "params", "items");
    const { id } = message;
    if (!Array.isArray(items) || id === undefined || id === null) return false;
    const sections = items.map((item) => at(item, "section"));
    const isOurs = (section: unknown): boolean =>
      typeof section === "string" && this.#blend.answerTo(section) !== undefined;
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
  #answered({ id, result }: Message): boolean {
    if (typeof id === "string" && id.startsWith(OWN)) return true;
    const sections = id === undefined || id === null ? undefined : this.#pulls.get(id);
    if (!sections || id === undefined || id === null) return false;
    this.#pulls.delete(id);
    const said = Array.isArray(result) ? result : [];
    const own = sections.indexOf(this.#blend.section);
    if (own >= 0) this.#takeEditor(said[own]);
    this.#answer(id, sections, said);
    return true;
  }

  #answer(id: Id, sections: readonly unknown[], said: readonly unknown[]): void {
    const result = sections.map((section, index) => {
      const ours = typeof section === "string" ? this.#blend.answerTo(section) : undefined;
      return ours ? ours.value : (said[index] ?? null);
    });
    if (sections.includes(this.#blend.section)) this.#delivered = this.#blend.settings;
    this.#ends.toServer(frameOf({ jsonrpc: "2.0", id, result }));
  }

  // ---------------------------------------------------------------- delivery

  /** Tells the server everything, if anything is different from what it was told last. */
  #push(): void {
    const { section, settings, fullSet } = this.#blend;
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
  #settleRequest(body: Buffer): void {
    if (this.#asked.size === 0) return;
    const id = body.length <= LONG ? answerId(parsed(body)) : idAtTheEnds(body);
    if (id !== undefined) this.#asked.delete(id);
  }
}

const valuesOf = (settings: readonly Setting[]): unknown =>
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
