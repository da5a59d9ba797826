/** Classes of the module `vscode`, as far as a language client uses them. */
import { fileURLToPath, pathToFileURL } from "node:url";

// biome-ignore lint/suspicious/noExplicitAny: what an editor gives and gets has no common shape.
export type Any = any;

export class Disposable {
  readonly #dispose: () => unknown;
  constructor(dispose: () => unknown = () => undefined) {
    this.#dispose = dispose;
  }
  static from(...all: readonly Disposable[]): Disposable {
    return new Disposable(() => {
      for (const each of all) each.dispose();
    });
  }
  dispose(): unknown {
    return this.#dispose();
  }
}

export class EventEmitter {
  readonly #listeners = new Set<(value: unknown) => unknown>();
  readonly event = (listener: (value: unknown) => unknown, thisArg?: unknown): Disposable => {
    const bound = listener.bind(thisArg);
    this.#listeners.add(bound);
    return new Disposable(() => this.#listeners.delete(bound));
  };
  fire(value?: unknown): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class CancellationTokenSource {
  readonly #cancelled = new EventEmitter();
  readonly token = {
    isCancellationRequested: false,
    onCancellationRequested: this.#cancelled.event,
  };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#cancelled.fire();
  }
  dispose(): void {
    this.#cancelled.dispose();
  }
}

export class Uri {
  readonly scheme = "file";
  readonly fsPath: string;
  constructor(fsPath: string) {
    this.fsPath = fsPath;
  }
  static parse(text: string): Uri {
    return new Uri(fileURLToPath(text));
  }
  static file(path: string): Uri {
    return new Uri(path);
  }
  get path(): string {
    return this.fsPath;
  }
  toString(): string {
    return pathToFileURL(this.fsPath).href;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...from: Any[]) {
    const [start, end] =
      from.length === 2 ? from : [new Position(from[0], from[1]), new Position(from[2], from[3])];
    this.start = start;
    this.end = end;
  }
}

/** Keeps what it is made with: enough for a diagnostic, a text edit, a completion item. */
export const recordOf = (...names: readonly string[]) =>
  class {
    constructor(...values: unknown[]) {
      for (const [index, name] of names.entries()) (this as Any)[name] = values[index];
    }
  };

export class MarkdownString {
  constructor(public value = "") {}
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
  appendCodeblock(text: string): this {
    return this.appendMarkdown(text);
  }
}

export class CodeActionKind {
  static readonly Empty = new CodeActionKind("");
  static readonly QuickFix = new CodeActionKind("quickfix");
  static readonly Refactor = new CodeActionKind("refactor");
  static readonly RefactorExtract = new CodeActionKind("refactor.extract");
  static readonly RefactorInline = new CodeActionKind("refactor.inline");
  static readonly RefactorRewrite = new CodeActionKind("refactor.rewrite");
  static readonly Source = new CodeActionKind("source");
  static readonly SourceOrganizeImports = new CodeActionKind("source.organizeImports");
  constructor(readonly value: string) {}
  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}
