/** An editor: the language server with a client that speaks the real protocol to it, in one process or as a child. */
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import type { ExecutionContext } from "ava";
import {
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  type InitializeResult,
  type Position,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
} from "vscode-languageserver-protocol/node";
import { child } from "../../../tests/support/child.js";
import { REEVE } from "../../../tests/support/commands.js";
import { within } from "../../../tests/support/eventually.js";
import { folder } from "../../testing/reeve.js";
import { TextDocument } from "../language/document.js";
import { serve } from "../server.js";

export interface EditorOptions {
  readonly capabilities?: object;
  readonly initializationOptions?: object;
  /** A process of its own instead of a part of this one. */
  readonly child?: boolean;
}

export interface Editor {
  readonly directory: string;
  readonly initialized: InitializeResult;
  uri(name: string): string;
  open(name: string, text: string): Promise<void>;
  /** Replaces the whole text. */
  change(name: string, text: string): Promise<void>;
  edit(name: string, start: Position, end: Position, text: string): Promise<void>;
  close(name: string): Promise<void>;
  /** The newest diagnostics of a file; waits for the first ones. */
  diagnostics(name: string): Promise<readonly Diagnostic[]>;
  /** Waits until diagnostics that fit were sent. */
  diagnosticsWhen(
    name: string,
    fits: (found: readonly Diagnostic[]) => boolean,
  ): Promise<readonly Diagnostic[]>;
  /** Asks about a file, at a position where one is given. */
  ask<Answer>(method: string, name: string, more?: object): Promise<Answer>;
  /** Says goodbye; resolves with the exit code of a child. */
  end(): Promise<number | null>;
}

/** What an editor has in its buffer after it applied the edits. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  const document = new TextDocument("/x", text, "utf-16");
  return edits
    .map(({ range, newText }) => ({
      start: document.offsetAt(range.start),
      end: document.offsetAt(range.end),
      newText,
    }))
    .sort((one, other) => other.start - one.start)
    .reduce((at, { start, end, newText }) => at.slice(0, start) + newText + at.slice(end), text);
}

/** A text with its cursor at `|`. */
export function marked(text: string): { readonly text: string; readonly position: Position } {
  const offset = text.indexOf("|");
  const whole = text.slice(0, offset) + text.slice(offset + 1);
  return { text: whole, position: new TextDocument("/x", whole, "utf-16").positionAt(offset) };
}

/** Opens a folder with these files on disk. */
export async function editor(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  { capabilities = {}, initializationOptions = {}, child: isChild = false }: EditorOptions = {},
): Promise<Editor> {
  const directory = folder(t, files);
  const streams = isChild ? spawned(t, directory) : joined();
  const connection = createProtocolConnection(
    new StreamMessageReader(streams.output),
    new StreamMessageWriter(streams.input),
  );
  const uri = (name: string) => pathToFileURL(join(directory, name)).href;
  const known = new Map<string, readonly Diagnostic[]>();
  const waiting = new Set<() => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, (sent) => {
    known.set(sent.uri, sent.diagnostics);
    for (const wake of waiting) wake();
  });
  connection.onRequest("client/registerCapability", () => null);
  connection.listen();
  const initialized = (await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(directory).href,
    capabilities,
    initializationOptions,
  })) as InitializeResult;
  await connection.sendNotification("initialized", {});
  let version = 0;
  let ended: Promise<number | null> | undefined;
  const end = async () => {
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    connection.dispose();
    return streams.ended;
  };
  t.teardown(() => {
    ended ??= end();
    return ended;
  });
  const change = (name: string, contentChanges: readonly object[]) => {
    version += 1;
    return connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: uri(name), version },
      contentChanges: contentChanges as never,
    });
  };
  const at: Editor = {
    directory,
    initialized,
    uri,
    open: (name, text) =>
      connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri: uri(name), languageId: "reeve", version, text },
      }),
    change: (name, text) => change(name, [{ text }]),
    edit: (name, start, stop, text) => change(name, [{ range: { start, end: stop }, text }]),
    close: (name) =>
      connection.sendNotification(DidCloseTextDocumentNotification.type, {
        textDocument: { uri: uri(name) },
      }),
    diagnostics: (name) => at.diagnosticsWhen(name, () => true),
    async diagnosticsWhen(name, fits) {
      for (;;) {
        const found = known.get(uri(name));
        if (found && fits(found)) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await within(`diagnostics of ${name} after ${JSON.stringify(found)}`, promise);
        waiting.delete(resolve);
      }
    },
    ask: (method, name, more = {}) =>
      connection.sendRequest(method, { textDocument: { uri: uri(name) }, ...more }),
    end() {
      ended ??= end();
      return ended;
    },
  };
  return at;
}

interface Streams {
  readonly input: NodeJS.WritableStream;
  readonly output: NodeJS.ReadableStream;
  readonly ended: Promise<number | null>;
}

function joined(): Streams {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = serve({ input, output, trustPlugins: false }).then((orderly) => (orderly ? 0 : 1));
  return { input, output, ended };
}

function spawned(t: ExecutionContext, cwd: string): Streams {
  const started = child(t, process.execPath, [REEVE, "lsp"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: "pipe",
  });
  const { stdin, stdout } = started.process;
  if (!(stdin && stdout)) throw new Error("it has no streams");
  const ended = started.ended.then((end) => (typeof end === "number" ? end : null));
  return { input: stdin, output: stdout, ended };
}
