/**
 * The command's view of the file system as ordered steps: later mounts cover earlier ones. The root is built from
 * scratch, so that mount points need no change of the host.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  credentialDirectories,
  credentialFiles,
  startupFiles,
  systemSecrets,
} from "./credentials.js";
import { bubblewrapArguments, type MountStep } from "./mount-steps.js";

/** A mount that the user requested. Paths are absolute; the host path exists. */
export interface Volume {
  readonly host: string;
  readonly sandbox: string;
  readonly mode: "ro" | "rw";
}

export interface FileSystemView {
  /** Absolute. */
  readonly home: string;
  /** Further home directories, read-only: the account's own if `home` is another one. */
  readonly otherHomes: readonly string[];
  /** The directory that the run started in. */
  readonly workspace: string;
  readonly volumes: readonly Volume[];
  /** If given, only these and private paths are writable. */
  readonly allowWrite?: readonly string[];
  /** Read-only even inside writable directories. A path of `allowWrite` below one is writable. */
  readonly readOnly?: readonly string[];
  /** The sandbox's own files, by their paths inside. */
  readonly files: ReadonlyMap<string, string>;
  /** A world-readable empty file, which masks others. */
  readonly emptyFile: string;
  /** Directories to hide, such as the run's work directory. */
  readonly hidden: readonly string[];
  /** Paths of UNIX sockets that listen on the host. */
  readonly hostSockets: readonly string[];
}

/** Top-level directories that the sandbox has of its own. */
const madeAnew = new Set(["proc", "dev", "tmp", "run", "home", "root", "host", "lost+found"]);
/** Kernel files that give a root caller too much control or information. */
const kernelFiles = ["/proc/sysrq-trigger", "/proc/kcore", "/proc/keys", "/proc/timer_list"];
/** Never writable as a workspace: these and everything below, … */
const systemTrees = [
  "bin",
  "boot",
  "dev",
  "etc",
  "lib",
  "lib32",
  "lib64",
  "libx32",
  "proc",
  "run",
  "sbin",
  "sys",
  "usr",
];
/** … these themselves, because they hold the files of several users, … */
const sharedDirectories = ["/", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/var"];
/** … except these, which are for sources. */
const sourceTrees = /^\/usr\/(?:local\/)?src\//;

/** A directory of the system or of several users. A run that starts there does not make it writable. */
export function isSystemDirectory(path: string): boolean {
  if (sharedDirectories.includes(path)) return true;
  return systemTrees.includes(path.split("/")[1] ?? "") && !sourceTrees.test(path);
}

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
    this.#homes();
    this.#writable();
    for (const base of ["", "/host"]) this.#secrets(base);
    for (const directory of this.#sealed) this.#seal(directory);
    for (const directory of this.#view.hidden) this.#hide(directory);
    for (const socket of this.#view.hostSockets) this.#empty(socket);
    this.#show("/sys", "/sys", true);
    for (const [path, source] of this.#view.files) this.#readOnly(source, resolved(path));
    for (const { host, sandbox, mode } of this.#view.volumes) {
      this.#steps.push({ kind: "bind", from: host, at: sandbox, writable: mode === "rw" });
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
    const { home, otherHomes, workspace, volumes, allowWrite, readOnly, hidden, files } =
      this.#view;
    const changed = [
      ...[home, ...otherHomes, workspace, ...(allowWrite ?? []), ...(readOnly ?? []), ...hidden],
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

  #homes(): void {
    for (const at of ["/home", "/root", "/host/home", "/host/root"])
      this.#steps.push({ kind: "directory", at });
    const { home, otherHomes, allowWrite } = this.#view;
    for (const other of otherHomes) this.#bind(other, false);
    this.#bind(home, !allowWrite);
    if (isDirectory(home)) this.#readOnly(home, `/host${home}`);
  }

  #writable(): void {
    const { workspace, allowWrite, home } = this.#view;
    const own = workspace === home || isSystemDirectory(workspace);
    if (!own) this.#bind(workspace, !allowWrite);
    for (const path of allowWrite ?? []) this.#bind(path, true);
    for (const path of this.#view.readOnly ?? []) this.#protect(path);
    // The most specific rule wins.
    for (const path of allowWrite ?? []) if (this.#isRefused(path)) this.#bind(path, true);
    if (!allowWrite && !own) this.#protect(join(workspace, ".git/hooks"));
    if (!allowWrite) for (const name of startupFiles) this.#protect(join(home, name));
  }

  #secrets(base: string): void {
    const { home, otherHomes } = this.#view;
    for (const path of systemSecrets) this.#mask(path, base);
    for (const owner of base === "" ? [home, ...otherHomes] : [home]) {
      for (const name of credentialDirectories) this.#mask(join(owner, name), base);
      for (const name of credentialFiles) this.#mask(join(owner, name), base);
    }
  }

  /** Shows the path empty, and the target of a link as well. */
  #mask(path: string, base: string): void {
    if (!existsSync(path)) return;
    const real = realpathSync(path);
    if (real !== path && (madeAnew.has(real.split("/")[1] ?? "") || base !== "")) {
      if (!real.startsWith(`${this.#view.home}/`)) return;
    }
    if (isDirectory(real)) {
      this.#memory(`${base}${real}`);
      this.#sealed.push(`${base}${real}`);
    } else this.#readOnly(this.#view.emptyFile, `${base}${real}`);
  }

  #bind(path: string, writable: boolean): void {
    if (path === "/" || !existsSync(path)) return;
    const last = this.#steps.at(-1);
    const again = last?.kind === "bind" && last.at === path && last.writable === writable;
    if (!again) this.#steps.push({ kind: "bind", from: path, at: path, writable });
  }

  #protect(path: string): void {
    if (existsSync(path)) this.#readOnly(path, realpathSync(path));
  }

  #hide(directory: string): void {
    if (this.#isVisible(directory)) this.#memory(directory);
    if (!madeAnew.has(directory.split("/")[1] ?? "") && existsSync(directory))
      this.#memory(`/host${directory}`);
  }

  #isRefused(path: string): boolean {
    return (this.#view.readOnly ?? []).some((directory) => path.startsWith(`${directory}/`));
  }

  #empty(path: string): void {
    if (!existsSync(path)) return;
    const { home, emptyFile } = this.#view;
    const top = path.split("/")[1] ?? "";
    const again = madeAnew.has(top) ? path.startsWith(`${home}/`) : !this.#isAlike(`/${top}`);
    const targets = [...(this.#isVisible(path) ? [path] : []), ...(again ? [`/host${path}`] : [])];
    for (const at of targets) {
      // Files in a hidden directory need no mask.
      if (!this.#sealed.some((sealed) => at.startsWith(`${sealed}/`)))
        this.#readOnly(emptyFile, at);
    }
  }

  /** Whether the host's path is visible at the same path inside. */
  #isVisible(path: string): boolean {
    const { home, workspace, otherHomes, volumes } = this.#view;
    if (!madeAnew.has(path.split("/")[1] ?? "")) return existsSync(dirname(path));
    const shown = [home, workspace, ...otherHomes, ...volumes.map(({ host }) => host)];
    return shown.some((directory) => path.startsWith(`${directory}/`));
  }
}

/** The directories of the host without a required mount point, outermost first. */
function rebuiltFor(targets: readonly string[]): Set<string> {
  const rebuilt = new Set<string>();
  for (const target of targets) {
    if (existsSync(target) || madeAnew.has(target.split("/")[1] ?? "")) continue;
    let existing = dirname(target);
    while (!isDirectory(existing)) existing = dirname(existing);
    for (let path = realpathSync(existing); path !== "/"; path = dirname(path)) rebuilt.add(path);
  }
  return new Set([...rebuilt].sort());
}

/** The real path of a file, so that a mount does not replace a link in `/etc`. */
function resolved(path: string): string {
  for (let at = path, hops = 0; hops < 8; hops += 1) {
    const kind = lstatSync(at, { throwIfNoEntry: false });
    if (!kind?.isSymbolicLink()) {
      return existsSync(dirname(at)) ? join(realpathSync(dirname(at)), basename(at)) : at;
    }
    at = join(readlinkSync(at).startsWith("/") ? "/" : dirname(at), readlinkSync(at));
  }
  return path;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
