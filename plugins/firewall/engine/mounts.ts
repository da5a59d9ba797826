/**
 * The command's view of the file system as ordered steps: later mounts cover earlier ones. The root is built from
 * scratch, so that mount points need no change of the host.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { credentials, systemSecrets } from "./credentials.js";
import { changedPaths, type FileSystemView } from "./file-system-view.js";
import type { HomeLayout } from "./home/layout.js";
import { fallback } from "./home/overlay.js";
import { resolved } from "./links.js";
import {
  type BindStep,
  bubblewrapArguments,
  homeSteps,
  type MountStep,
  pins,
} from "./mount-steps.js";
import { isDirectory, isWithin } from "./paths.js";
import { isSystemDirectory, kernelFiles, madeAnew, rebuiltFor } from "./system-directories.js";

/** In order. */
export function mountSteps(view: FileSystemView): MountStep[] {
  return new Mounts(view).build();
}

/** As options of bubblewrap. */
export function mountArguments(view: FileSystemView): string[] {
  return mountSteps(view).flatMap(bubblewrapArguments);
}

class Mounts {
  readonly #view: FileSystemView;
  readonly #steps: MountStep[] = [];
  /** Directories that need a mount point below, so they are rebuilt entry by entry. */
  readonly #rebuilt: Set<string>;
  /** Hidden directories, sealed after their hidden files are in place. */
  readonly #sealed: string[] = [];

  constructor(view: FileSystemView) {
    this.#view = view;
    this.#rebuilt = rebuiltFor([
      ...view.files.keys(),
      ...view.volumes.map(({ sandbox }) => sandbox),
    ]);
  }

  build(): MountStep[] {
    this.#root("");
    this.#steps.push({ kind: "devices", at: "/dev" }, { kind: "processes", at: "/proc" });
    this.#readOnly("/proc/sys", "/proc/sys");
    for (const path of kernelFiles)
      if (existsSync(path)) this.#readOnly(this.#view.emptyFile, path);
    this.#private("/tmp", "/run", "/var/tmp");
    this.#root("/host");
    this.#writable();
    this.#secrets();
    this.#denied();
    for (const path of this.#view.allowedSockets ?? [])
      if (!this.#boundAt(path)) this.#bind(path, true);
    for (const directory of this.#sealed) this.#seal(directory);
    for (const directory of this.#view.hidden) this.#hide(directory);
    for (const socket of this.#view.hostSockets) this.#socket(socket);
    this.#show("/sys", "/sys", true);
    for (const [path, source] of this.#view.files) this.#readOnly(source, resolved(path));
    for (const { host, sandbox, mode } of this.#view.volumes) {
      this.#steps.push({ kind: "bind", from: host, at: sandbox, writable: mode === "rw" });
      const within = (paths: readonly string[] = []) =>
        paths.filter((path) => isWithin(path, host));
      const inside = (path: string) => sandbox + path.slice(host.length);
      if (mode === "rw") this.#protect(within(this.#view.kept), inside);
      // What the user mounts by itself is meant to be used.
      const { hostSockets, hidden, denyRead = [] } = this.#view;
      const covered = within([...hostSockets, ...hidden, ...denyRead]);
      for (const path of covered) if (path !== host) this.#showEmpty(path, inside(path));
    }
    for (const path of this.#rebuilt) this.#seal(path);
    this.#seal("/host");
    this.#seal("/");
    return this.#steps;
  }

  #readOnly(from: string, at: string): void {
    this.#steps.push({ kind: "bind", from, at, writable: false });
  }

  #memory(at: string): void {
    this.#steps.push({ kind: "memory", at });
  }

  #seal(at: string): void {
    this.#steps.push({ kind: "seal", at });
  }

  #root(base: string): void {
    if (base !== "") this.#memory(base);
    for (const name of readdirSync("/")) {
      // Directories with many mounts come last, because each mount takes as long as there are mounts already.
      if (madeAnew.has(name) || name === "sys") continue;
      if (base !== "" && this.#isAlike(`/${name}`)) {
        this.#steps.push({ kind: "link", to: `../${name}`, at: `${base}/${name}` });
      } else this.#show(`/${name}`, `${base}/${name}`, base === "");
    }
  }

  /** Whether the directory is the host's own apart from masked files. */
  #isAlike(directory: string): boolean {
    return (
      isDirectory(directory) &&
      !lstatSync(directory).isSymbolicLink() &&
      !changedPaths(this.#view).some((path) => isWithin(path, directory))
    );
  }

  /** One read-only entry: links stay links; directories with mount points are rebuilt. */
  #show(path: string, at: string, rebuild: boolean): void {
    const kind = lstatSync(path, { throwIfNoEntry: false });
    if (!kind) return;
    if (kind.isSymbolicLink()) this.#steps.push({ kind: "link", to: readlinkSync(path), at });
    else if (!(rebuild && this.#rebuilt.has(path))) this.#readOnly(path, at);
    else {
      this.#memory(at);
      for (const name of readdirSync(path)) this.#show(join(path, name), join(at, name), true);
    }
  }

  #private(...directories: string[]): void {
    for (const path of directories) {
      if (path === "/var/tmp" && !existsSync(path)) continue;
      this.#steps.push({ kind: "memory", at: path, mode: path === "/run" ? "0755" : "1777" });
    }
  }

  #home(layout: HomeLayout): void {
    const { home, name } = layout;
    this.#steps.push(...homeSteps(layout));
    this.#fallBack(name, home);
    // The link of the outer home leads to this one.
    if (this.#view.homes.some((other) => home.startsWith(`${other.home}/`))) return;
    const at = `/host${home}`;
    if (madeAnew.has(home.split("/")[1] ?? "")) {
      if (dirname(home) !== "/") this.#directory(dirname(at));
      this.#steps.push({ kind: "link", to: relative(dirname(at), home), at });
    } else {
      this.#memory(at);
      this.#sealed.push(at);
    }
  }

  /** Where the layers cannot be mounted. */
  #fallBack(name: string, at: string): void {
    const from = join(this.#view.fallback, name);
    this.#steps.push({ kind: "possible", from, at, writable: false });
  }

  #directory(at: string): void {
    const made = this.#steps.some((step) => step.kind === "directory" && step.at === at);
    if (!made) this.#steps.push({ kind: "directory", at });
  }

  /** Directories that contain a home first, since a later mount covers an earlier one. */
  #writable(): void {
    const { workspaces, allowWrite, readOnly = [], kept = [], homes } = this.#view;
    for (const at of ["/home", "/root", "/host/home"]) this.#directory(at);
    const shown = workspaces.filter((path) => !isSystemDirectory(path));
    const writable = allowWrite ?? shown;
    const contains = (path: string) => homes.some(({ home }) => isWithin(home, path));
    const isHome = (path: string) => homes.some(({ home }) => path === home);
    const isWritable = (path: string) => writable.some((directory) => isWithin(path, directory));
    const open = [...new Set([...shown, ...writable])].filter((path) => !isHome(path));
    for (const path of open) if (contains(path)) this.#bind(path, isWritable(path));
    for (const layout of homes) this.#home(layout);
    const outermostFirst = open.toSorted((one, other) => one.length - other.length);
    for (const path of outermostFirst) if (!contains(path)) this.#bind(path, isWritable(path));
    // What is held of a home need not be read-only in it, but where the host's files are.
    const held = homes.flatMap(({ home, held }) => held.map((path) => join(home, path)));
    const apart = readOnly.filter((path) => !this.#isLayered(path));
    this.#protect([...apart, ...held.filter((path) => this.#boundAt(path))]);
    this.#reopen(readOnly);
    this.#protect(kept.filter((path) => this.#boundAt(path)));
    this.#reopen(kept);
  }

  #secrets(): void {
    const { home, otherHomes } = this.#view;
    for (const path of systemSecrets) for (const base of ["", "/host"]) this.#mask(path, base);
    for (const owner of [home, ...otherHomes])
      for (const name of credentials) this.#mask(join(owner, name), "");
  }

  /** Shows the path empty, and the target of a link as well. */
  #mask(path: string, base: string): void {
    if (!existsSync(path)) return;
    const real = realpathSync(path);
    const name = isDirectory(real) ? fallback.directory : fallback.file;
    if (base === "" && this.#isLayered(real)) {
      this.#fallBack(name, real);
      return;
    }
    if (real !== path && (madeAnew.has(real.split("/")[1] ?? "") || base !== "")) {
      if (!real.startsWith(`${this.#view.home}/`)) return;
    }
    this.#showEmpty(real, `${base}${real}`);
  }

  /** The most specific rule wins. */
  #denied(): void {
    const { denyRead = [], allowWrite = [] } = this.#view;
    for (const path of denyRead) {
      this.#empty(path);
      for (const open of allowWrite) if (open.startsWith(`${path}/`)) this.#bind(open, true);
    }
  }

  #showEmpty(path: string, at: string): void {
    if (!existsSync(path)) return;
    if (isDirectory(path)) {
      this.#memory(at);
      this.#sealed.push(at);
    } else this.#readOnly(this.#view.emptyFile, at);
  }

  #bind(path: string, writable: boolean): void {
    if (path === "/" || !existsSync(path)) return;
    const last = this.#steps.at(-1);
    const again = last?.kind === "bind" && last.at === path && last.writable === writable;
    if (!again) this.#steps.push({ kind: "bind", from: path, at: path, writable });
  }

  /** Makes the paths read-only, also against new names for the directories above them. */
  #protect(paths: readonly string[], insideOf = (path: string) => path): void {
    for (const path of paths) {
      if (!existsSync(path)) continue;
      const at = insideOf(realpathSync(path));
      // Directories that are pinned count: mounting one again would cover what is mounted in it.
      const bound = this.#boundAt(at);
      if (this.#rebuilt.has(at) || bound?.writable === false) continue;
      if (bound) this.#steps.push(...pins(bound.at, at, bound.from));
      this.#readOnly(path, at);
    }
  }

  /** The mount that shows a path, if the host's files are there. */
  #boundAt(path: string): BindStep | undefined {
    const step = this.#coverOf(path);
    return step?.kind === "bind" ? step : undefined;
  }

  /** Whether the layers of a home decide what is there. */
  #isLayered(path: string): boolean {
    return this.#coverOf(path)?.kind === "overlay";
  }

  /** The mount that shows a path. */
  #coverOf(path: string): MountStep | undefined {
    const kinds = ["bind", "overlay", "memory"];
    return this.#steps.findLast(({ kind, at }) => kinds.includes(kind) && isWithin(path, at));
  }

  #hide(directory: string): void {
    if (this.#isVisible(directory) && !this.#isLayered(directory)) this.#memory(directory);
    const inHome = this.#view.homes.some(({ home }) => isWithin(directory, home));
    if (!inHome && !madeAnew.has(directory.split("/")[1] ?? "") && existsSync(directory))
      this.#memory(`/host${directory}`);
  }

  /** The most specific rule wins. */
  #reopen(refused: readonly string[]): void {
    for (const path of this.#view.allowWrite ?? [])
      if (refused.some((directory) => path.startsWith(`${directory}/`))) this.#bind(path, true);
  }

  #socket(path: string): void {
    // Nothing listens at what an overlay shows, or in an empty directory.
    if (this.#boundAt(path)) this.#empty(path);
  }

  /** Wherever it is visible; a path in an empty directory is not. */
  #empty(path: string): void {
    for (const at of this.#shownAt(path))
      if (!this.#sealed.some((sealed) => isWithin(at, sealed))) this.#showEmpty(path, at);
  }

  /** Where the host's path is visible inside, apart from mounts at other paths. */
  #shownAt(path: string): string[] {
    const top = path.split("/")[1] ?? "";
    const inHome = this.#view.homes.some(({ home }) => isWithin(path, home));
    const again = !inHome && !madeAnew.has(top) && !this.#isAlike(`/${top}`);
    return [...(this.#isVisible(path) ? [path] : []), ...(again ? [`/host${path}`] : [])];
  }

  /** Whether the host's path is visible at the same path inside. */
  #isVisible(path: string): boolean {
    const { home, workspaces, otherHomes, allowWrite = [] } = this.#view;
    if (!madeAnew.has(path.split("/")[1] ?? "")) return existsSync(dirname(path));
    const shown = [home, ...workspaces, ...otherHomes, ...allowWrite];
    return shown.some((directory) => path.startsWith(`${directory}/`));
  }
}
