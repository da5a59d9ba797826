/**
 * What stands for the editor in a test of the VS Code extension: the parts of the module `vscode` that a language client
 * uses. It records what the client registers and shows; a document is a text in memory.
 */
import {
  type Any,
  CancellationTokenSource,
  CodeActionKind,
  Disposable,
  EventEmitter,
  MarkdownString,
  Position,
  Range,
  recordOf,
  Uri,
} from "./vscode-types.js";

/** Classes and enumerations that a test does not look at. */
const anyOther = (known: object): Any =>
  new Proxy(known, {
    get: (target: Any, name) => {
      if (name in target || typeof name === "symbol") return target[name];
      target[name] = anyEnumeration(recordOf());
      return target[name];
    },
  });

const anyEnumeration = (target: object): Any =>
  new Proxy(target, {
    get: (of: Any, name) => (name in of || typeof name === "symbol" ? of[name] : 0),
  });

/** A namespace of the module: events that a test fires, and registrations that it reads. */
function namespace(known: Record<string, unknown>, fake: FakeEditor, name: string): Any {
  return new Proxy(known, {
    get: (target: Any, member: string) => {
      if (member in target) return target[member];
      if (/^on(Did|Will)/.test(member)) return fake.emitter(`${name}.${member}`).event;
      if (/^(register|create)/.test(member)) {
        return (...values: unknown[]) => {
          const key = `${name}.${member}`;
          fake.registered.set(key, [...(fake.registered.get(key) ?? []), values]);
          return new Disposable();
        };
      }
      if (/^show.*Message$/.test(member)) {
        return async (message: string) => {
          fake.messages.push(message);
          return fake.choice(message);
        };
      }
      return undefined;
    },
  });
}

export interface FakeDocument {
  readonly uri: Uri;
  readonly languageId: string;
  readonly version: number;
  readonly isClosed: boolean;
  readonly fileName: string;
  getText(): string;
}

export class FakeEditor {
  readonly messages: string[] = [];
  readonly registered = new Map<string, unknown[][]>();
  readonly executed: unknown[][] = [];
  readonly documents: FakeDocument[] = [];
  readonly #emitters = new Map<string, EventEmitter>();
  readonly #commands = new Map<string, (...values: unknown[]) => unknown>();
  readonly #diagnostics = new Map<string, readonly Any[]>();
  readonly #changed = new EventEmitter();
  readonly #settings: Record<string, unknown>;
  readonly #folder: string;
  isTrusted = true;
  /** The button of a message that the user chooses. */
  choice: (message: string) => string | undefined = () => undefined;

  constructor(folder: string, settings: Record<string, unknown> = {}) {
    this.#folder = folder;
    this.#settings = settings;
  }

  emitter(name: string): EventEmitter {
    const emitter = this.#emitters.get(name) ?? new EventEmitter();
    this.#emitters.set(name, emitter);
    return emitter;
  }

  /** Opens a document, or another version of it. */
  open(path: string, text: string, version = 1): FakeDocument {
    const document: FakeDocument = {
      uri: new Uri(path),
      languageId: "reeve",
      version,
      isClosed: false,
      fileName: path,
      getText: () => text,
    };
    const index = this.documents.findIndex(({ fileName }) => fileName === path);
    const before = this.documents[index];
    if (!before) {
      this.documents.push(document);
      this.emitter("workspace.onDidOpenTextDocument").fire(document);
      return document;
    }
    this.documents[index] = document;
    const lines = before.getText().split("\n");
    const range = new Range(0, 0, lines.length - 1, lines.at(-1)?.length);
    const contentChanges = [{ range, rangeLength: before.getText().length, text }];
    this.emitter("workspace.onDidChangeTextDocument").fire({ document, contentChanges });
    return document;
  }

  command(name: string, ...values: unknown[]): unknown {
    return this.#commands.get(name)?.(...values);
  }

  /** The provider that is registered last. */
  provider(kind: string): Any {
    return this.registered.get(`languages.register${kind}`)?.at(-1)?.at(1);
  }

  /** Resolves once the diagnostics of a document fit. */
  async diagnostics(path: string, fits: (all: readonly Any[]) => boolean): Promise<readonly Any[]> {
    for (;;) {
      const now = this.#diagnostics.get(path) ?? [];
      if (fits(now)) return now;
      await new Promise<void>((resolve) => {
        const listening = this.#changed.event(() => {
          listening.dispose();
          resolve();
        });
      });
    }
  }

  /** The module `vscode`. */
  get module(): Any {
    const collection = {
      set: (uri: Uri, all: readonly Any[] = []) => {
        this.#diagnostics.set(uri.fsPath, all);
        this.#changed.fire();
      },
      delete: (uri: Uri) => this.#diagnostics.delete(uri.fsPath),
      clear: () => this.#diagnostics.clear(),
      dispose: () => undefined,
    };
    const folder = { uri: new Uri(this.#folder), name: "folder", index: 0 };
    const fake = this;
    const workspace = {
      get isTrusted() {
        return fake.isTrusted;
      },
      textDocuments: this.documents,
      notebookDocuments: [],
      workspaceFolders: [folder],
      getWorkspaceFolder: () => folder,
      getConfiguration: (section: string) => ({
        get: (key: string, otherwise?: unknown) => this.#settings[`${section}.${key}`] ?? otherwise,
        inspect: () => undefined,
      }),
      createFileSystemWatcher: () => ({
        onDidCreate: new EventEmitter().event,
        onDidChange: new EventEmitter().event,
        onDidDelete: new EventEmitter().event,
        dispose: () => undefined,
      }),
    };
    const channel = anyChannel();
    const window = {
      activeTextEditor: undefined,
      get visibleTextEditors() {
        return fake.documents.map((document) => ({ document }));
      },
      tabGroups: {
        all: [],
        activeTabGroup: {},
        onDidChangeTabs: new EventEmitter().event,
        onDidChangeTabGroups: new EventEmitter().event,
      },
      createOutputChannel: () => channel,
    };
    const commands = {
      registerCommand: (name: string, run: (...values: unknown[]) => unknown) => {
        if (this.#commands.has(name)) throw new Error(`command '${name}' already exists`);
        this.#commands.set(name, run);
        return new Disposable(() => this.#commands.delete(name));
      },
      executeCommand: async (...values: unknown[]) => {
        this.executed.push(values);
      },
    };
    const languages = {
      createDiagnosticCollection: () => collection,
      match: (selector: Any, { languageId }: FakeDocument) =>
        [selector].flat().some(({ language }: Any) => language === languageId) ? 10 : 0,
    };
    return anyOther({
      version: "1.91.0",
      Disposable,
      EventEmitter,
      CancellationTokenSource,
      CodeActionKind,
      CancellationError: class CancellationError extends Error {},
      Uri,
      Position,
      Range,
      MarkdownString,
      Diagnostic: recordOf("range", "message", "severity"),
      TextEdit: recordOf("range", "newText"),
      CompletionItem: recordOf("label", "kind"),
      CompletionList: recordOf("items", "isIncomplete"),
      Hover: recordOf("contents", "range"),
      RelativePattern: recordOf("baseUri", "pattern"),
      workspace: namespace(workspace, this, "workspace"),
      window: namespace(window, this, "window"),
      commands: namespace(commands, this, "commands"),
      languages: namespace(languages, this, "languages"),
      env: { language: "en", appName: "fake", machineId: "", uriScheme: "vscode" },
      extensions: { getExtension: () => undefined },
    });
  }
}

/** A log without readers. */
const anyChannel = (): Any =>
  new Proxy({ name: "Reeve", logLevel: 0, onDidChangeLogLevel: new EventEmitter().event } as Any, {
    get: (target, name) => (name in target ? target[name] : () => undefined),
  });
