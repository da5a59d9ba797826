/**
 * The register of running daemons: a file for each, which sandboxes read to protect its configuration and its state. A user's is in a
 * private directory; root's is for all users to read.
 */
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { DependencyContainer } from "tsyringe";
import type { Program } from "../config/program.js";
import { errorMessage } from "../errors.js";
import type { CleanupStack } from "../services/cleanup-stack.js";
import { untrusted } from "../services/trusted-directory.js";
import type { SourceSettings } from "../source/contract.js";
import { DaemonToken } from "./tokens.js";

/** What sandboxes are to know. Paths are absolute. */
export interface DaemonEntry {
  /** The configuration's root file. */
  readonly root: string;
  /** Files and directories elsewhere that decide what the daemon runs. */
  readonly files: readonly string[];
  readonly state: string;
  /** The control socket. */
  readonly control: string;
}

export interface RegisteredDaemon {
  /** Adds what the configuration is read from, now and after each reload. */
  follow(container: DependencyContainer): void;
}

/** Registers this daemon until the stack ends. */
export function registerDaemon(
  entry: Omit<DaemonEntry, "files">,
  source: SourceSettings | undefined,
  stack: CleanupStack,
): RegisteredDaemon {
  const register = new DaemonRegister(entry.state);
  const fixed = source ? filesOf(source) : [];
  const problem = register.write({ ...entry, files: fixed });
  let unsubscribe = (): void => undefined;
  stack.defer("register", () => {
    unsubscribe();
    register.remove();
  });
  return {
    follow(container) {
      const { events, log } = container.resolve(DaemonToken.kit);
      const reloader = container.resolve(DaemonToken.reloader);
      if (problem !== undefined)
        log.info("Sandboxes of awf cannot know this daemon", { reason: problem });
      const more = () => elsewhere(reloader.program, dirname(entry.root));
      const update = () => register.write({ ...entry, files: [...fixed, ...more()] });
      // Events come before the state that they announce.
      unsubscribe = events.subscribe(({ type }) => {
        if (/^config\./.test(type) && problem === undefined) setImmediate(update);
      });
    },
  };
}

/** What decides which commits run: the lists of keys, or else the repository itself. */
function filesOf({ url, signers, revoked }: SourceSettings): readonly string[] {
  const isLocal = signers === undefined && url.startsWith("file://");
  const repository = isLocal ? [decodeURIComponent(new URL(url).pathname)] : [];
  return [...repository, signers, revoked].filter((path) => path !== undefined);
}

/** Every other file of a configuration is in its directory. */
function elsewhere(program: Program | undefined, directory: string): readonly string[] {
  if (program === undefined) return [];
  const { declarations, daemon } = program;
  const code = declarations.map(({ source }) => source).filter((each) => /^\.{0,2}\//.test(each));
  return [...daemon.allowPaths, ...code.map((source) => resolve(directory, source))];
}

interface RegisterOwner {
  /** @default the process's own */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** 0 for root. @default the process's own */
  readonly user?: number | undefined;
}

/** Where sandboxes look: see plugins/firewall/sandbox/running-daemons.ts. */
export function registerDirectory(owner: RegisterOwner = {}): string {
  const { environment = process.env, user = process.getuid?.() } = owner;
  if (user === 0) return "/run/reeve-daemons";
  const { XDG_STATE_HOME: chosen, HOME: home } = environment;
  const state = chosen?.startsWith("/") ? chosen : join(home || homedir(), ".local/state");
  return join(state, "reeve/daemons");
}

/** This daemon's file; each state directory has one daemon, and so one file. */
export class DaemonRegister {
  readonly #directory: string;
  readonly #path: string;
  #written = "";

  constructor(state: string, directory = registerDirectory()) {
    const digest = createHash("sha256").update(state).digest("hex").slice(0, 16);
    this.#directory = directory;
    this.#path = join(directory, `${digest}.json`);
  }

  /** Writes what has changed. Returns why it cannot. */
  write(entry: DaemonEntry): string | undefined {
    const own = new Set([dirname(entry.root), realOf(dirname(entry.root))]);
    const isElsewhere = (path: string) => ![...own].some((each) => path.startsWith(`${each}/`));
    const files = [...new Set(entry.files)].filter(isElsewhere).sort();
    const text = JSON.stringify({ format: 1, owner: processId(), ...entry, files });
    if (text === this.#written) return undefined;
    try {
      const reason = this.#prepare();
      if (reason !== undefined) return reason;
      writeFileSync(`${this.#path}.new`, text, { mode: isRoot() ? 0o644 : 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
      this.#written = text;
      return undefined;
    } catch (thrown) {
      return errorMessage(thrown);
    }
  }

  remove(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // Sandboxes ignore it once this process has ended.
    }
  }

  /** Makes the directory, and removes what killed daemons left. Returns why it cannot be used. */
  #prepare(): string | undefined {
    if (this.#written !== "") return undefined;
    mkdirSync(this.#directory, { recursive: true, mode: isRoot() ? 0o755 : 0o700 });
    const reason = untrusted(this.#directory);
    if (reason !== undefined) return reason;
    for (const name of readdirSync(this.#directory)) removeEnded(join(this.#directory, name));
    return undefined;
  }
}

const isRoot = (): boolean => process.getuid?.() === 0;

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Names this process also after a restart of the machine, and for other containers. */
const processId = () => ({
  pid: process.pid,
  born: bornAt(process.pid),
  namespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
  boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")).trim(),
  machine: attempt(() => readFileSync("/etc/machine-id", "utf8")).trim(),
});

/** In ticks since the boot; empty if there is no such process. */
function bornAt(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function removeEnded(path: string): void {
  try {
    if (path.endsWith(".json") && hasEnded(path)) rmSync(path);
  } catch {
    // Another daemon has removed it, or it is not one of these files.
  }
}

/** For certain: another machine or container may share the directory. */
function hasEnded(path: string): boolean {
  if (!lstatSync(path).isFile()) return false;
  const { owner } = JSON.parse(readFileSync(path, "utf8")) as DaemonEntry & {
    readonly owner: ReturnType<typeof processId>;
  };
  const { boot, namespace, machine } = processId();
  if (owner.boot !== boot) return machine !== "" && owner.machine === machine;
  return owner.namespace === namespace && bornAt(owner.pid) !== owner.born;
}

function attempt(look: () => string): string {
  try {
    return look();
  } catch {
    return "";
  }
}
