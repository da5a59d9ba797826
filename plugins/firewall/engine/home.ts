/**
 * A home directory as commands see it: a private directory with the host's entries mounted into it. Secrets and paths
 * that run later are therefore apart from the host's whatever exists, appears or is renamed; other changes are
 * committed when the command has ended.
 */
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { credentialDirectories, credentialFiles } from "./credentials.js";
import type { BindStep } from "./mount-steps.js";
import { giveToOwnerOf } from "./owner.js";
import { protectedPaths } from "./protected-paths.js";

export interface HomeLayout {
  /** The same path on the host and inside. */
  readonly home: string;
  /** The private directory. */
  readonly root: string;
  /** The whole home is writable. */
  readonly writable: boolean;
  /** Any change is committed. */
  readonly committed: boolean;
  /** Directories that are private, by their paths in the home. */
  readonly own: readonly string[];
  /** Mounts into the private directory. */
  readonly mounts: readonly BindStep[];
  /** What links of the user's lead to: stays read-only like the links. */
  readonly targets: readonly string[];
  /** What a path of the private directory was at the start, by its path in the home. */
  readonly before: Readonly<Record<string, Entry>>;
  /** Paths that are not committed, by their paths in the home. */
  readonly held: readonly string[];
}

/** How an entry looked when it was laid out: on the host, and its copy. */
interface Entry {
  readonly host: string;
  readonly copy: string;
}

export interface HomeRequest {
  readonly home: string;
  readonly root: string;
  /** Writable paths in the home; an empty one is the home itself. */
  readonly writable: readonly string[];
  /** Sockets of the home to show. */
  readonly sockets?: readonly string[];
  /** More protected directories, absolute. */
  readonly alsoProtected: readonly string[];
  /** The user of the command. */
  readonly uid: number;
  readonly gid: number;
}

/** Larger files are mounted, which only prevents their replacement. */
const largestCopy = 1024 * 1024;
const secrets = [...credentialDirectories, ...credentialFiles];

/** Creates the private directory. Undefined if the user has no home directory. */
export function layOutHome(request: HomeRequest): HomeLayout | undefined {
  if (request.home === "/" || !lstatSync(request.home, { throwIfNoEntry: false })?.isDirectory())
    return undefined;
  return new Layout(request).build();
}

class Layout {
  readonly #request: HomeRequest;
  readonly #protected: ReadonlySet<string>;
  readonly #secrets: ReadonlySet<string> = new Set(secrets);
  readonly #parents: ReadonlySet<string>;
  readonly #mounts: BindStep[] = [];
  readonly #targets: string[] = [];
  readonly #before: Record<string, Entry> = {};
  readonly #filled: string[] = [];

  constructor(request: HomeRequest) {
    this.#request = request;
    const inside = request.alsoProtected
      .map((path) => relative(request.home, path))
      .filter((path) => path !== "" && !path.startsWith(".."));
    this.#protected = new Set([...protectedPaths, ...inside]);
    this.#parents = new Set([...this.#protected, ...secrets].flatMap(parentsOf));
  }

  build(): HomeLayout {
    const { home, root } = this.#request;
    mkdirSync(root, { recursive: true });
    this.#fill("", true);
    this.#own("", home);
    const held = [...this.#protected, ...secrets];
    const [mounts, targets] = [this.#mounts, this.#targets];
    const [before, own] = [this.#before, this.#filled];
    const writable = this.#isWritable("");
    const committed = own.some((path) => this.#isWritable(path));
    return { home, root, writable, committed, own, mounts, targets, before, held };
  }

  #fill(directory: string, writable: boolean): void {
    this.#filled.push(directory);
    for (const entry of entriesOf(join(this.#request.home, directory))) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      try {
        this.#add(path, entry, writable);
      } catch {
        // It is gone, or the user may not read it.
      }
    }
  }

  #add(path: string, entry: Dirent, writable: boolean): void {
    const [host, copy] = this.#paths(path);
    const isProtected = this.#protected.has(path);
    const own = writable && !isProtected;
    const isOpen = own && this.#isWritable(path);
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(host), copy);
    else if (this.#secrets.has(path)) this.#placeholder(copy, entry);
    else if (entry.isDirectory()) {
      mkdirSync(copy);
      if (!this.#parents.has(path)) this.#mount(path, isOpen);
      else {
        if (isOpen && !this.#isWritable("")) this.#mount(path, true, copy);
        this.#fill(path, own);
      }
      this.#own(path, host);
    } else if (!entry.isFile() && !this.#request.sockets?.includes(host)) return;
    else if (!entry.isFile() || !isOpen || !isCopied(host)) {
      this.#placeholder(copy, entry);
      this.#mount(path, isOpen);
    } else {
      const { atime, mtime } = lstatSync(host);
      copyFileSync(host, copy);
      utimesSync(copy, atime, mtime);
      this.#own(path, host);
    }
    if (isProtected && entry.isSymbolicLink()) this.#protectTarget(host);
    this.#before[path] = { host: stampOf(host) ?? "", copy: stampOf(copy) ?? "" };
  }

  #placeholder(copy: string, entry: Dirent): void {
    if (entry.isDirectory()) mkdirSync(copy);
    else writeFileSync(copy, "");
    giveToOwnerOf(this.#request, copy);
  }

  #mount(path: string, writable: boolean, from?: string): void {
    const at = join(this.#request.home, path);
    this.#mounts.push({ kind: "bind", from: from ?? at, at, writable });
  }

  #isWritable(path: string): boolean {
    const above = ["", ...parentsOf(path), path];
    return this.#request.writable.some((open) => above.includes(open));
  }

  /** What a link of the user's leads to is protected as well. */
  #protectTarget(link: string): void {
    const at = realpathSync(link);
    if (at.startsWith(`${this.#request.home}/`)) this.#targets.push(at);
  }

  #own(path: string, host: string): void {
    const found = lstatSync(host);
    const [, copy] = this.#paths(path);
    chmodSync(copy, found.mode & 0o777);
    giveToOwnerOf(found, copy);
  }

  #paths(path: string): [host: string, copy: string] {
    return [join(this.#request.home, path), join(this.#request.root, path)];
  }
}

function isCopied(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return lstatSync(path).size <= largestCopy;
  } catch {
    return false;
  }
}

/** All directories above a relative path. */
function parentsOf(path: string): string[] {
  const words = path.split("/");
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join("/"));
}

export function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Changes with the content of an entry; undefined without one. */
export function stampOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const { mode, size, mtimeMs } = found;
  if (found.isDirectory()) return "directory";
  return found.isSymbolicLink() ? `link ${readlinkSync(path)}` : `${mode} ${size} ${mtimeMs}`;
}
