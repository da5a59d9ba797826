/**
 * One configuration as an editor sees it: unsaved texts over the files on disk. It is loaded some milliseconds after an edit, one
 * load at a time; a result that a newer edit has overtaken is dropped. Questions about names never wait for a load: they use the
 * newest text and the last good program.
 */
import { readFileSync } from "node:fs";
import { dirname, matchesGlob, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Catalog } from "../../daemon/catalog/catalog.js";
import { detailsOf } from "../../daemon/config/explain/details.js";
import { load } from "../../daemon/config/load.js";
import type {
  BoundCatalog,
  Loaded,
  PluginCatalog,
  PluginDeclaration,
  Program,
} from "../../daemon/config/program.js";
import { hostProbe } from "../../daemon/host/probe.js";
import type { Diagnostic } from "../../grammar/index.js";
import { type PositionEncoding, TextDocument } from "./language/document.js";
import { Vocabulary } from "./language/schema.js";
import type { FileSymbols, SymbolUse } from "./language/symbol.js";
import { symbolsOf } from "./language/symbols.js";

export interface ProjectOptions {
  readonly catalog: Catalog;
  readonly encoding: PositionEncoding;
  /** Whether the code of declared plugins may run. */
  readonly trusted: boolean;
  /** The open documents by absolute path. */
  readonly open: ReadonlyMap<string, TextDocument>;
  /** Called after each load that nothing has overtaken. */
  readonly onLoaded: (project: Project) => void;
  /** Called where a load fails for another reason than the text. */
  readonly onError: (thrown: unknown) => void;
}

/** Milliseconds of quiet before a load. */
const DEBOUNCE = 25;
/** Milliseconds of quiet before the machine is examined: programs, secrets, ports. */
const HOST_DEBOUNCE = 400;

export class Project {
  /** Absolute path of the root file. */
  readonly root: string;
  readonly #options: ProjectOptions;
  readonly #stopped = new AbortController();
  readonly #symbols = new Map<string, { readonly text: string; readonly symbols: FileSymbols }>();
  readonly #read = new Map<string, TextDocument>();
  #bound: BoundCatalog | undefined;
  #vocabulary = new Vocabulary([]);
  #edits = 0;
  #running: Promise<void> | undefined;
  #loaded: Loaded | undefined;
  #program: Program | undefined;
  /** Findings about the machine, and the texts that they are about. */
  #host: readonly Diagnostic[] = [];
  #hostTexts: ReadonlyMap<string, string> = new Map();

  constructor(root: string, options: ProjectOptions) {
    this.root = root;
    this.#options = options;
  }

  /** The last result; absent before the first load. */
  get loaded(): Loaded | undefined {
    return this.#loaded;
  }

  /** The last program without errors. */
  get program(): Program | undefined {
    return this.#program;
  }

  get vocabulary(): Vocabulary {
    return this.#vocabulary;
  }

  get trusted(): boolean {
    return this.#options.trusted;
  }

  /** Absolute. Diagnostics name files from the directory of the root file. */
  pathOf(name: string): string {
    return resolve(dirname(this.root), name);
  }

  get files(): readonly string[] {
    const names = [...(this.#loaded?.sources.keys() ?? [])];
    return names.length === 0 ? [this.root] : names.map((name) => this.pathOf(name));
  }

  /** The files that an import reads: the path itself, or what a pattern matched. */
  filesOf(pattern: string): readonly string[] {
    const { files } = this;
    return files.filter((path) => path === pattern || matchesGlob(path, pattern));
  }

  has(path: string): boolean {
    return this.files.includes(path);
  }

  /** The findings of the last load; those about the machine stay while the text below them is the same. */
  get diagnostics(): readonly Diagnostic[] {
    return [
      ...(this.#loaded?.diagnostics ?? []),
      ...this.#host.filter((each) => this.#holds(each)),
    ];
  }

  #holds({ location }: Diagnostic): boolean {
    if (!location || this.#loaded?.program === undefined) return false;
    const { file, start, end } = location;
    const now = this.#loaded.sources.get(file)?.text.slice(start, end);
    return now !== undefined && now === this.#hostTexts.get(file)?.slice(start, end);
  }

  /** Loads soon; resolves when the newest text is loaded. */
  refresh(): Promise<void> {
    if (this.#stopped.signal.aborted) return Promise.resolve();
    this.#edits += 1;
    this.#running ??= this.#loadUntilCurrent()
      .catch(this.#options.onError)
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Resolves at once where no load is due. */
  async current(): Promise<void> {
    await (this.#loaded ? this.#running : this.refresh());
  }

  async #loadUntilCurrent(): Promise<void> {
    for (let loaded = -1; loaded !== this.#edits && !this.#stopped.signal.aborted; ) {
      loaded = await this.#quiet(DEBOUNCE);
      const result = await this.#load();
      if (loaded === this.#edits && !this.#stopped.signal.aborted) this.#take(result);
    }
    this.#examineHost().catch(this.#options.onError);
  }

  /** Waits until there was no edit for some time; gives the number of the last one. */
  async #quiet(milliseconds: number): Promise<number> {
    for (;;) {
      const edits = this.#edits;
      if (this.#loaded) await sleep(milliseconds, undefined, { ref: false });
      if (edits === this.#edits) return edits;
    }
  }

  #load(probe?: ReturnType<typeof hostProbe>): Promise<Loaded> {
    const overlay = new Map([...this.#options.open].map(([path, { text }]) => [path, text]));
    const catalog = this.#catalog;
    const options = { catalog, overlay, explainable: true };
    return load(this.root, { ...options, ...(probe && { host: probe }) });
  }

  #take(loaded: Loaded): void {
    this.#loaded = loaded;
    this.#program = loaded.program ?? this.#program;
    const paths = new Set(this.files);
    for (const path of this.#symbols.keys()) if (!paths.has(path)) this.#symbols.delete(path);
    this.#read.clear();
    this.#options.onLoaded(this);
  }

  /** What the machine lacks, once the text rests. */
  async #examineHost(): Promise<void> {
    const edits = this.#edits;
    await sleep(HOST_DEBOUNCE, undefined, { ref: false });
    const isCurrent = () => edits === this.#edits && !this.#stopped.signal.aborted;
    if (!isCurrent() || this.#loaded?.program === undefined) return;
    const probe = hostProbe({ environment: process.env, lenient: true });
    const { diagnostics, sources } = await this.#load(probe);
    if (!isCurrent()) return;
    const found = diagnostics.filter(({ host }) => host);
    const changed = JSON.stringify(found) !== JSON.stringify(this.#host);
    this.#host = found;
    this.#hostTexts = new Map([...sources].map(([name, { text }]) => [name, text]));
    if (changed) this.#options.onLoaded(this);
  }

  get #catalog(): PluginCatalog {
    return {
      bind: async (declarations, root) => {
        const { catalog, trusted } = this.#options;
        const bound = await catalog.bind(trusted ? declarations : [], root);
        if (bound.plugins !== this.#bound?.plugins)
          this.#vocabulary = new Vocabulary(bound.plugins);
        this.#bound = bound;
        if (trusted) return bound;
        return { ...bound, diagnostics: [...bound.diagnostics, ...declarations.map(untrusted)] };
      },
    };
  }

  /** The newest text of a file: as it is in the editor, or else as it was read from disk. */
  document(path: string): TextDocument | undefined {
    const open = this.#options.open.get(path);
    if (open) return open;
    const known = this.#read.get(path);
    if (known) return known;
    try {
      const document = new TextDocument(path, readFileSync(path, "utf8"), this.#options.encoding);
      this.#read.set(path, document);
      return document;
    } catch {
      return undefined;
    }
  }

  isOpen(path: string): boolean {
    return this.#options.open.has(path);
  }

  symbols(path: string): FileSymbols | undefined {
    const document = this.document(path);
    if (!document) return undefined;
    const known = this.#symbols.get(path);
    if (known?.text === document.text) return known.symbols;
    const kinds = new Set(this.#vocabulary.kinds.keys());
    const symbols = symbolsOf(path, document.tree, kinds);
    this.#symbols.set(path, { text: document.text, symbols });
    return symbols;
  }

  /** Every definition and use of names in all files. */
  *uses(): Generator<{ readonly path: string; readonly use: SymbolUse }> {
    for (const path of this.files)
      for (const use of this.symbols(path)?.uses ?? []) yield { path, use };
  }

  /** The value of a `let` in the last good program, as the evaluator left it. */
  letValue(path: string, start: number): unknown {
    const units = (this.#program && detailsOf(this.#program))?.world.units.values() ?? [];
    for (const unit of units) {
      if (unit.path !== path) continue;
      const found = unit.lets.find(
        ({ node, state }) => node.name.start === start && state.kind === "done",
      );
      return found?.state.kind === "done" ? found.state.outcome : undefined;
    }
    return undefined;
  }

  /** The keys of the blocks of the last good program that an item at this offset made. */
  blocksAt(path: string, start: number): readonly string[] {
    const blocks = this.#program?.blocks ?? new Map();
    return [...blocks.values()]
      .filter(({ ranges }) => {
        const header = ranges.get("");
        return header && header.start === start && this.pathOf(header.file) === path;
      })
      .map(({ key }) => key);
  }

  close(): void {
    this.#stopped.abort();
    this.#edits += 1;
  }
}

/** A declared plugin is code of the workspace: it runs only where the editor's user trusts that. */
const untrusted = ({ name, location }: PluginDeclaration): Diagnostic => ({
  code: "untrusted_plugin",
  severity: "info",
  message: `the plugin \`${name}\` is not loaded, so its blocks are not checked`,
  location,
  help: "its code would run on this machine; start `reeve lsp --trust-plugins` if you trust it",
});
