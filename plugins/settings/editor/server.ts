/** A language server for settings files themselves. */
import { basename } from "node:path";
import { Documents } from "../proxy/documents.js";
import { frameOf, type RpcFrame } from "../proxy/frames.js";
import { at, type Message, parsed } from "../proxy/message.js";
import { dialectOf, type JsonDialect } from "../read/dialect.js";
import { type Checker } from "../schema/checker.js";
import {
  completion,
  diagnostics,
  type EditorRange,
  fixes,
  hover,
  type OpenFile,
} from "./answers.js";
import { type EditorPosition } from "./position.js";

/** Whose settings a file has; `undefined` for files that are none of ours. */
export type CheckerOf = (name: string) => Promise<Checker | undefined>;

const METHOD_NOT_FOUND = -32601;
const INVALID_REQUEST = -32600;
const INCREMENTAL = 2;

export class SettingsServer {
  readonly #send: (bytes: Buffer) => void;
  readonly #checkerOf: CheckerOf;
  readonly #documents = new Documents();
  #shutDown = false;

  constructor(send: (bytes: Buffer) => void, checkerOf: CheckerOf) {
    this.#send = send;
    this.#checkerOf = checkerOf;
  }

  /** Resolves to the exit code once the editor has said that it is over. */
  async take({ body }: RpcFrame): Promise<number | undefined> {
    const message = parsed(body);
    if (!message?.method) return undefined;
    if (message.method === "exit") return this.#shutDown ? 0 : 1;
    if (message.id === undefined || message.id === null) await this.#handleNotification(message);
    else await this.#answerRequest(message);
    return undefined;
  }

  async #handleNotification({ method = "", params }: Message): Promise<void> {
    this.#documents.take(method, params);
    const uri = at(params, "textDocument", "uri");
    if (typeof uri !== "string") return;
    if (method === "textDocument/didClose") this.#publish(uri, []);
    if (method !== "textDocument/didOpen" && method !== "textDocument/didChange") return;
    const file = await this.#file(uri);
    if (file) this.#publish(uri, await diagnostics(file));
  }

  async #answerRequest({ id, method, params }: Message): Promise<void> {
    const reply = (answer: object) => this.#send(frameOf({ jsonrpc: "2.0", id, ...answer }));
    if (this.#shutDown) {
      reply({ error: { code: INVALID_REQUEST, message: "The server was shut down." } });
      return;
    }
    const uri = at(params, "textDocument", "uri");
    const position = at(params, "position") as EditorPosition;
    const file = typeof uri === "string" ? await this.#file(uri) : undefined;
    switch (method) {
      case "initialize":
        reply({ result: { capabilities, serverInfo: { name: "reeve settings" } } });
        return;
      case "shutdown":
        this.#shutDown = true;
        reply({ result: null });
        return;
      case "textDocument/completion":
        reply({ result: file ? completion(file, position) : [] });
        return;
      case "textDocument/hover":
        reply({ result: file ? hover(file, position) : null });
        return;
      case "textDocument/codeAction":
        reply({ result: file ? fixes(file, at(params, "range") as EditorRange) : [] });
        return;
      default:
        reply({ error: { code: METHOD_NOT_FOUND, message: `There is no ${method}.` } });
    }
  }

  async #file(uri: string): Promise<OpenFile | undefined> {
    const document = this.#documents.get(uri);
    const name = basename(decodeURIComponent(uri));
    const checker = document && (await this.#checkerOf(name));
    if (!document || !checker) return undefined;
    const dialect: JsonDialect = dialectOf(name);
    return { uri, text: document.text, dialect, checker };
  }

  #publish(uri: string, found: readonly unknown[]): void {
    const params = { uri, diagnostics: found };
    this.#send(frameOf({ jsonrpc: "2.0", method: "textDocument/publishDiagnostics", params }));
  }
}

const capabilities = {
  textDocumentSync: { openClose: true, change: INCREMENTAL },
  completionProvider: { triggerCharacters: ['"', ":"] },
  hoverProvider: true,
  codeActionProvider: { codeActionKinds: ["quickfix"] },
};
