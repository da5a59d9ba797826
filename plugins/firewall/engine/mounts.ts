/**
 * The command's view of the file system as ordered steps: later mounts cover earlier ones. The root is built from
 * scratch, so that mount points need no change of the host.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { credentialDirectories, credentialFiles, systemSecrets } from "./credentials.js";
import type { FileSystemView } from "./file-system-view.js";
import type { HomeLayout } from "./home.js";
import { resolved } from "./links.js";
import { type BindStep, bubblewrapArguments, type MountStep, pins } from "./mount-steps.js";
import { isDirectory, isWithin } from "./paths.js";
import { isSystemDirectory, madeAnew, rebuiltFor } from "./system-directories.js";

/** Kernel files that give a root caller too much control or information. */
const kernelFiles = ["/proc/sysrq-trigger", "/proc/kcore", "/proc/keys", "/proc/timer_list"];
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
      const covered = within([...this.#view.hostSockets, ...(this.#view.denyRead ?? [])]);
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
    const { home, otherHomes, workspaces, volumes, allowWrite, readOnly, hidden, files, denyRead } =
      this.#view;
    const changed = [
      ...[
        home,
        ...otherHomes,
        ...workspaces,
        ...(allowWrite ?? []),
        ...(readOnly ?? []),
        ...hidden,
      ],
      ...(denyRead ?? []),
      ...volumes.map(({ sandbox }) => sandbox),
      ...[...files.keys(), ...systemSecrets, "/var/tmp"],
    ];
    return (
      isDirectory(directory) &&
      !lstatSync(directory).isSymbolicLink() &&
      !changed.some((path) => path === directory || path.startsWith(`${directory}/`))
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

  #home({ home, root, writable, mounts }: HomeLayout): void {
    this.#steps.push({ kind: "bind", from: root, at: home, writable });
    this.#steps.push(...mounts);
    const at = `/host${home}`;
    if (madeAnew.has(home.split("/")[1] ?? "")) {
      if (dirname(home) !== "/") this.#directory(dirname(at));
      this.#steps.push({ kind: "link", to: relative(dirname(at), home), at });
    } else {
      this.#memory(at);
      this.#sealed.push(at);
    }
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
    const isOwn = (path: string) => homes.some(({ home }) => isWithin(path, home));
    const own = homes.flatMap(({ home, own, held }) =>
      own.filter((path) => !(allowWrite && held.includes(path))).map((path) => join(home, path)),
    );
    for (const path of [...shown, ...writable].filter(contains))
      if (!own.includes(path)) this.#bind(path, writable.includes(path));
    for (const layout of byDepth(homes)) this.#home(layout);
    for (const path of [...shown, ...writable])
      if (!contains(path) && !own.includes(path)) this.#bind(path, writable.includes(path));
    const isWritable = (path: string) => writable.some((directory) => isWithin(path, directory));
    const apart = readOnly.filter((path) => isWritable(path) || !isOwn(path));
    this.#protect([...apart, ...homes.flatMap(({ targets }) => targets)]);
    this.#reopen(readOnly);
    this.#protect(kept.filter((path) => this.#boundAt(path)));
    this.#reopen(kept);
  }

  #secrets(): void {
    const { home, otherHomes } = this.#view;
    for (const path of systemSecrets) for (const base of ["", "/host"]) this.#mask(path, base);
    for (const owner of [home, ...otherHomes]) {
      for (const name of credentialDirectories) this.#mask(join(owner, name), "");
      for (const name of credentialFiles) this.#mask(join(owner, name), "");
    }
  }

  /** Shows the path empty, and the target of a link as well. */
  #mask(path: string, base: string): void {
    if (!existsSync(path)) return;
    const real = realpathSync(path);
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
    const covers = (step: MountStep) => step.kind === "bind" || step.kind === "memory";
    const step = this.#steps.findLast((step) => covers(step) && isWithin(path, step.at));
    return step?.kind === "bind" ? step : undefined;
  }

  #hide(directory: string): void {
    if (this.#isVisible(directory)) this.#memory(directory);
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
    // A private directory lacks the host's sockets.
    for (const { home, own } of this.#view.homes)
      if (own.some((directory) => dirname(path) === join(home, directory))) return;
    this.#empty(path);
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

const byDepth = (homes: readonly HomeLayout[]): readonly HomeLayout[] =>
  [...homes].sort((one, other) => one.home.length - other.home.length);
