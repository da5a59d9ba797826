/** The VS Code extension: starts `reeve lsp` and connects the editor to it. */
import {
  commands,
  type ExtensionContext,
  type LogOutputChannel,
  type WorkspaceConfiguration,
  window,
  workspace,
} from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { findServer } from "./find-server.js";

const OPEN_SETTINGS = "Open Settings";

class Connection {
  readonly #output: LogOutputChannel;
  #client: LanguageClient | undefined;
  /** Serializes starts and stops. */
  #turn: Promise<void> = Promise.resolve();

  constructor(output: LogOutputChannel) {
    this.#output = output;
  }

  restart(): Promise<void> {
    return this.#next(async () => {
      await this.#end();
      await this.#begin();
    });
  }

  stop(): Promise<void> {
    return this.#next(() => this.#end());
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work, work);
    return this.#turn;
  }

  async #end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.dispose();
  }

  async #begin(): Promise<void> {
    const settings = workspace.getConfiguration("reeve");
    const command = programIn(settings);
    if (command === undefined) {
      // The answer may take long, and nothing waits for it.
      void suggestSettings();
      return;
    }
    const client = new LanguageClient(
      "reeve",
      "Reeve",
      { command, args: ["lsp"] },
      {
        documentSelector: [{ scheme: "file", language: "reeve" }],
        outputChannel: this.#output,
        initializationOptions: {
          trustPlugins: workspace.isTrusted && settings.get("trustPlugins") === true,
          inlayHints: settings.get("inlayHints") === true,
        },
      },
    );
    this.#client = client;
    try {
      await client.start();
    } catch (thrown) {
      void window.showErrorMessage(
        `Reeve: ${command} cannot be started: ${thrown instanceof Error ? thrown.message : thrown}`,
      );
    }
  }
}

function programIn(settings: WorkspaceConfiguration): string | undefined {
  return findServer({
    configured: String(settings.get("server.path") ?? ""),
    folders: (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    isTrusted: workspace.isTrusted,
    path: process.env.PATH ?? "",
  });
}

async function suggestSettings(): Promise<void> {
  const message =
    "Reeve: there is no `reeve` program in the setting reeve.server.path, the workspace or PATH. Install Reeve, or name the program in the settings.";
  const choice = await window.showErrorMessage(message, OPEN_SETTINGS);
  if (choice !== OPEN_SETTINGS) return;
  await commands.executeCommand("workbench.action.openSettings", "reeve.server.path");
}

let connection: Connection | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel("Reeve", { log: true });
  const own = new Connection(output);
  connection = own;
  const restart = () => own.restart();
  context.subscriptions.push(
    output,
    commands.registerCommand("reeve.restartServer", restart),
    commands.registerCommand("reeve.showOutput", () => output.show()),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeConfiguration((change) => {
      const sections = ["reeve.server", "reeve.trustPlugins", "reeve.inlayHints"];
      if (sections.some((section) => change.affectsConfiguration(section))) void restart();
    }),
  );
  await restart();
}

/** The editor waits for it. */
export async function deactivate(): Promise<void> {
  await connection?.stop();
}
