/** `reeve lsp`: the language server protocol over a pair of streams (LSP 3.17). */
import type { Readable, Writable } from "node:stream";
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ExecuteCommandRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  LogMessageNotification,
  type MessageActionItem,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ResponseError,
  ShowMessageNotification,
  ShowMessageRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentIdentifier,
  WorkspaceSymbolRequest,
} from "vscode-languageserver-protocol/node";
import { errorMessage } from "../../daemon/errors.js";
import { version } from "../program/version.js";
import { pluginCatalog } from "../project/load.js";
import { diagnosticsByFile } from "./features/diagnostics.js";
import { planText, RUN_HOOK, runHook, SHOW_PLAN } from "./features/lenses.js";
import { RenameRefused, uriOf } from "./features/navigation.js";
import { workspaceSymbols } from "./features/outline.js";
import type { Project } from "./project.js";
import {
  abilitiesOf,
  capabilitiesFor,
  documentRequests,
  type EditorAbilities,
} from "./requests.js";
import { Workspace } from "./workspace.js";

export interface ServerOptions {
  /** It is destroyed at the end: an editor may keep it open until the process is gone. */
  readonly input: Readable;
  readonly output: Writable;
  /** The code of declared plugins may run. */
  readonly trustPlugins: boolean;
}

const INVALID_REQUEST = -32600;
const NOT_INITIALIZED = -32002;
/** The request was right, and it failed; the message is for the user. */
const REQUEST_FAILED = -32803;
const ERROR = 1;
const WARNING = 2;
const INFO = 3;

/** Serves one editor until it disconnects; resolves with whether it shut the server down before. */
export async function serve({ input, output, trustPlugins }: ServerOptions): Promise<boolean> {
  const catalog = await pluginCatalog();
  const connection = createProtocolConnection(
    new StreamMessageReader(input),
    new StreamMessageWriter(output),
  );
  const session = new Session(connection, (abilities, onLoaded) => {
    const trusted = trustPlugins || abilities.trustPlugins;
    const onError = (thrown: unknown): void => {
      const params = { type: ERROR, message: errorMessage(thrown) } as const;
      void connection.sendNotification(LogMessageNotification.type, params);
    };
    return new Workspace({ catalog, encoding: abilities.encoding, trusted, onLoaded, onError });
  });
  const ended = Promise.withResolvers<void>();
  connection.onNotification(ExitNotification.type, () => ended.resolve());
  connection.onClose(() => ended.resolve());
  input.once("end", () => ended.resolve());
  connection.listen();
  await ended.promise;
  session.dispose();
  connection.dispose();
  input.destroy();
  return session.isShutDown;
}

type OpenWorkspace = (
  abilities: EditorAbilities,
  onLoaded: (project: Project) => void,
) => Workspace;

class Session {
  isShutDown = false;
  readonly #connection: ProtocolConnection;
  readonly #open: OpenWorkspace;
  #started: { readonly abilities: EditorAbilities; readonly workspace: Workspace } | undefined;
  /** Addresses of files that the editor shows diagnostics of. */
  readonly #published = new Set<string>();

  constructor(connection: ProtocolConnection, open: OpenWorkspace) {
    this.#connection = connection;
    this.#open = open;
    this.#serveLifecycle();
    this.#serveDocuments();
    for (const method of Object.keys(documentRequests))
      connection.onRequest(method, (params: { textDocument: TextDocumentIdentifier }) =>
        this.#answer(method, params),
      );
    connection.onRequest(WorkspaceSymbolRequest.type, ({ query }) =>
      workspaceSymbols(this.#workspace.projects, query),
    );
    connection.onRequest(ExecuteCommandRequest.type, ({ command, arguments: [argument] = [] }) =>
      this.#execute(command, String(argument ?? "")),
    );
  }

  /** @throws ResponseError before `initialize` and after `shutdown` */
  get #workspace(): Workspace {
    if (this.isShutDown) throw new ResponseError(INVALID_REQUEST, "The server was shut down.");
    if (!this.#started) throw new ResponseError(NOT_INITIALIZED, "Send initialize first.");
    return this.#started.workspace;
  }

  dispose(): void {
    this.#started?.workspace.dispose();
  }

  #serveLifecycle(): void {
    const at = this.#connection;
    at.onRequest(InitializeRequest.type, (params) => {
      const abilities = abilitiesOf(params);
      this.#started = { abilities, workspace: this.#open(abilities, (each) => this.#show(each)) };
      const serverInfo = { name: "reeve", version: version() };
      return { capabilities: capabilitiesFor(abilities), serverInfo };
    });
    at.onNotification(InitializedNotification.type, async () => {
      if (!this.#started?.abilities.watchesFiles) return;
      const { method } = DidChangeWatchedFilesNotification.type;
      const registerOptions = { watchers: [{ globPattern: "**/*" }] };
      await at.sendRequest(RegistrationRequest.type, {
        registrations: [{ id: method, method, registerOptions }],
      });
    });
    at.onRequest(ShutdownRequest.type, () => {
      this.dispose();
      this.isShutDown = true;
    });
  }

  #serveDocuments(): void {
    const at = this.#connection;
    at.onNotification(DidOpenTextDocumentNotification.type, ({ textDocument: { uri, text } }) =>
      this.#workspace.open(uri, text),
    );
    at.onNotification(DidChangeTextDocumentNotification.type, ({ textDocument, contentChanges }) =>
      this.#workspace.change(textDocument.uri, contentChanges),
    );
    at.onNotification(DidCloseTextDocumentNotification.type, ({ textDocument }) =>
      this.#workspace.close(textDocument.uri),
    );
    at.onNotification(DidSaveTextDocumentNotification.type, () => this.#workspace.changedOnDisk());
    at.onNotification(DidChangeWatchedFilesNotification.type, () =>
      this.#workspace.changedOnDisk(),
    );
  }

  /** `null` where the document is not open. */
  async #answer(method: string, params: { textDocument: TextDocumentIdentifier }) {
    const found = await this.#workspace.find(params.textDocument.uri);
    if (!found || !this.#started) return null;
    const { abilities } = this.#started;
    try {
      return (await documentRequests[method]?.({ ...found, abilities }, params)) ?? null;
    } catch (thrown) {
      if (thrown instanceof RenameRefused) throw new ResponseError(REQUEST_FAILED, thrown.message);
      throw thrown;
    }
  }

  async #execute(command: string, argument: string): Promise<null> {
    const { projects } = this.#workspace;
    if (command === SHOW_PLAN) {
      const project = projects.find(({ root }) => root === argument);
      if (project) await this.#report(planText(project));
    } else if (command === RUN_HOOK) {
      const project = projects.find(({ program }) => program?.blocks.has(argument));
      const actions: MessageActionItem[] = [{ title: "Run" }];
      const message = `Run \`${argument}\` now?`;
      const answer = await this.#connection.sendRequest(ShowMessageRequest.type, {
        type: WARNING,
        message,
        actions,
      });
      if (project && answer) await this.#report(runHook(project, argument));
    }
    return null;
  }

  #report(sentence: Promise<string>): Promise<void> {
    const show = (type: typeof INFO | typeof ERROR) => (message: string) =>
      this.#connection.sendNotification(ShowMessageNotification.type, { type, message });
    return sentence.then(show(INFO), (thrown) => show(ERROR)(errorMessage(thrown)));
  }

  #show(project: Project): void {
    const { abilities } = this.#started ?? {};
    if (abilities?.pullsDiagnostics) {
      if (abilities.refreshesDiagnostics)
        void this.#connection.sendRequest("workspace/diagnostic/refresh");
      return;
    }
    for (const [path, found] of diagnosticsByFile(project)) {
      const uri = uriOf(path);
      const wasShown = this.#published.has(uri);
      if (found.length === 0 && !wasShown && !project.isOpen(path)) continue;
      this.#published.add(uri);
      const diagnostics = [...found];
      void this.#connection.sendNotification(PublishDiagnosticsNotification.type, {
        uri,
        diagnostics,
      });
    }
  }
}
