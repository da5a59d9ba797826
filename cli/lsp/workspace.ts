/** The open documents and the configurations that they belong to. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ContentChange, TextDocument } from "./language/document.js";
import { Project, type ProjectOptions } from "./project.js";

export type WorkspaceOptions = Omit<ProjectOptions, "open">;

export class Workspace {
  readonly #options: WorkspaceOptions;
  /** By absolute path. */
  readonly #open = new Map<string, TextDocument>();
  /** By root file. */
  readonly #projects = new Map<string, Project>();
  #isClosed = false;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
  }

  get projects(): readonly Project[] {
    return [...this.#projects.values()];
  }

  open(uri: string, text: string): void {
    const path = pathOf(uri);
    if (path !== undefined) this.#set(path, new TextDocument(path, text, this.#options.encoding));
  }

  change(uri: string, changes: readonly ContentChange[]): void {
    const path = pathOf(uri);
    const document = path === undefined ? undefined : this.#open.get(path);
    if (document) this.#set(document.path, document.changed(changes));
  }

  /** The file on disk counts again. A file that was checked alone is forgotten. */
  close(uri: string): void {
    const path = pathOf(uri);
    if (path === undefined || !this.#open.delete(path)) return;
    for (const project of this.projects) {
      const needed = [...this.#open.keys()].some(
        (each) => rootOf(each) === project.root || each === project.root,
      );
      if (needed) this.#refresh(project);
      else this.#forget(project);
    }
  }

  /** Files changed on disk. */
  changedOnDisk(): void {
    for (const project of this.projects) this.#refresh(project);
  }

  #set(path: string, document: TextDocument): void {
    this.#open.set(path, document);
    const own = this.projects.filter((project) => project.has(path));
    for (const project of own.length > 0 ? own : [this.#project(rootOf(path))])
      this.#refresh(project);
  }

  #refresh(project: Project): void {
    void project.refresh();
  }

  #forget(project: Project): void {
    this.#projects.delete(project.root);
    project.close();
  }

  #project(root: string): Project {
    const known = this.#projects.get(root);
    if (known) return known;
    const project = new Project(root, { ...this.#options, open: this.#open });
    if (this.#isClosed) project.close();
    else this.#projects.set(root, project);
    return project;
  }

  /**
   * The document and the configuration that it is part of, once that has been loaded for the first time. A file that no root file
   * imports is a configuration of its own.
   */
  async find(
    uri: string,
  ): Promise<{ readonly document: TextDocument; readonly project: Project } | undefined> {
    const path = pathOf(uri);
    const document = path === undefined ? undefined : this.#open.get(path);
    if (path === undefined || !document) return undefined;
    const nearest = this.#project(rootOf(path));
    if (!nearest.loaded) await nearest.refresh();
    const project = this.projects.find((each) => each.has(path)) ?? this.#project(path);
    if (!project.loaded) await project.refresh();
    return { document: this.#open.get(path) ?? document, project };
  }

  dispose(): void {
    this.#isClosed = true;
    for (const project of this.projects) this.#forget(project);
  }
}

/** `undefined` for a document that is no file. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/** The nearest `main.reeve` upwards; the file itself where there is none. */
function rootOf(path: string): string {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const root = join(directory, "main.reeve");
    if (existsSync(root)) return root;
    if (directory === dirname(directory)) return path;
  }
}
