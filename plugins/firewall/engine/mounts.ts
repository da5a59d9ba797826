/**
 * What the command sees of the file system, as steps that build it. Order matters: a later mount lies over an earlier
 * one. The root itself is made anew, so that mount points may be put anywhere without touching the host.
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

/** A mount that the user asked for. Paths are absolute; the host path exists. */
export interface Volume {
  readonly host: string;
  readonly sandbox: string;
  readonly mode: "ro" | "rw";
}

export interface FileView {
  /** The user's home directory, absolute. */
  readonly home: string;
  /** Further home directories to show read-only: the account's own where `home` is another one. */
  readonly otherHomes: readonly string[];
  /** The workspace: the directory that awf was started in. */
  readonly workspace: string;
  readonly volumes: readonly Volume[];
  /** When given, only these paths (and private ones) can be written. */
  readonly allowWrite?: readonly string[];
  /** Places that stay as they are, inside of what can be written. A writable path below one of them is writable. */
  readonly readOnly?: readonly string[];
  /** Files of the sandbox's own, by the path at which the command finds them. */
  readonly files: ReadonlyMap<string, string>;
  /** An empty file, readable by anyone: what a masked file looks like. */
  readonly emptyFile: string;
  /** Directories to hide: the run's own work directory. */
  readonly hidden: readonly string[];
  /** Path names of UNIX sockets that listen on the host. */
  readonly hostSockets: readonly string[];
}

/** Top-level entries that are not the host's own inside. */
const madeAnew = new Set(["proc", "dev", "tmp", "run", "home", "root", "host", "lost+found"]);
/** Kernel files that would obey, or tell too much to, a caller who is root outside. */
const kernelFiles = ["/proc/sysrq-trigger", "/proc/kcore", "/proc/keys", "/proc/timer_list"];
/** Never writable as a workspace, wherever awf was started: these with all that is in them, … */
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
/** … these themselves (what is in them is somebody's), … */
const sharedDirectories = ["/", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/var"];
/** … except these, which are for sources. */
const sourceTrees = /^\/usr\/(?:local\/)?src\//;

/** A place of the system or of many people, which no run makes writable by being started there. */
export function isSystemDirectory(path: string): boolean {
  if (sharedDirectories.includes(path)) return true;
  return systemTrees.includes(path.split("/")[1] ?? "") && !sourceTrees.test(path);
}

/** The steps, in order. */
export function mountSteps(view: FileView): MountStep[] {
  return new Mounts(view).build();
}

/** The same as arguments for bubblewrap. */
export function mountArguments(view: FileView): string[] {
  return mountSteps(view).flatMap(bubblewrapArguments);
}

class Mounts {
  readonly #view: FileView;
  readonly #steps: MountStep[] = [];
  /** Directories under which a mount point must be made, so they are rebuilt entry by entry. */
  readonly #rebuilt: Set<string>;
  /** Hidden directories, closed once the hidden files in them have their places. */
  readonly #sealed: string[] = [];

  constructor(view: FileView) {
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
      // What has many mounts of its own comes last: each further mount takes as long as there are mounts already.
      if (madeAnew.has(name) || name === "sys") continue;
      if (base !== "" && this.#isAlike(`/${name}`)) {
        this.#steps.push({ kind: "link", to: `../${name}`, at: `${base}/${name}` });
      } else this.#show(`/${name}`, `${base}/${name}`, base === "");
    }
  }

  /** Is the directory at its own place the host's through and through, but for what is masked? */
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

  /** One entry read-only: links as links; a directory that gets mount points is rebuilt from its entries. */
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
    // The nearest word counts.
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

  /** Shown empty, also where it is really kept when it is a link. */
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
      // What is in a hidden directory is hidden.
      if (!this.#sealed.some((sealed) => at.startsWith(`${sealed}/`)))
        this.#readOnly(emptyFile, at);
    }
  }

  /** Is the host's path to be seen at the same place inside? */
  #isVisible(path: string): boolean {
    const { home, workspace, otherHomes, volumes } = this.#view;
    if (!madeAnew.has(path.split("/")[1] ?? "")) return existsSync(dirname(path));
    const shown = [home, workspace, ...otherHomes, ...volumes.map(({ host }) => host)];
    return shown.some((directory) => path.startsWith(`${directory}/`));
  }
}

/** The directories of the host that lack the mount point and so have to be rebuilt, outermost first. */
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

/** Where a file really is, so that a link in `/etc` is followed rather than mounted over. */
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
