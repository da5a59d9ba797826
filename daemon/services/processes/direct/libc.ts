/**
 * The C library's calls that start a program without copying the daemon first. This is the only file that hands memory
 * to native code. `posix_spawn` blocks its caller until the program has started, so it runs in a thread of its own;
 * what it works on is held until it has returned, since the collector does not know.
 */
import { closeSync, openSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import type { Environment } from "../environment.js";
import { type ExecVector, ExecVectors, type PinnedMemory } from "./exec-vector.js";
import { ResourcePool } from "./resource-pool.js";
import { StartThreads } from "./start-threads.js";

/** Room for the C library's opaque `posix_spawn_file_actions_t`, `posix_spawnattr_t` and `sigset_t`: several times what any needs. */
const room = 1024;
/** Bytes of arguments and environment for which memory is kept; more is got when it is wanted. */
const usualBlock = 32 * 1024;
const closeOnExec = 0o2000000;
const setStatusFlags = 4;
const nonBlocking = 0o4000;
const noSuchProcess = 3;
/** Below this size, V8 keeps bytes where its collector may move them. */
const smallest = 4096;
const readOnly = 0;
const noHang = 1;
/** Bytes of the longest path that the kernel takes, and more. */
const pathRoom = 8 * 1024;
const nameTooLong = 36;
/** Starts in progress, with those that wait for a thread. */
const mostAtOnce = 64;
/** Signals as a new program expects them, whatever Node made of its own; and a group of its own, or a session, which has one. */
const setGroup = 0x02;
const setSignalDefaults = 0x04;
const setSignalMask = 0x08;
const setSession = 0x80;

/** Where the sizes, the flags and the way of writing an address below are true. */
export const isSupported =
  process.platform === "linux" && ["x64", "arm64", "riscv64", "loong64"].includes(process.arch);

export interface Libc {
  /** Both ends are closed in every program that is started. @throws when there are too many open files */
  pipe(): { readonly reader: number; readonly writer: number };
  /** Stops waiting for this process. */
  unblock(descriptor: number): void;
  /** How many bytes were read: none at the end, less where nothing is there at the moment. */
  read(descriptor: number, into: Buffer): number;
  close(descriptor: number): void;
  /**
   * The new process, which leads a group and has no terminal. No text may contain a zero byte.
   * @throws an error with a `code`, also for what `exec` says
   */
  spawn(file: string, program: Program, setting: SpawnSetting): Promise<number>;
  /** Whether a process group is empty. */
  isGone(group: number): boolean;
  /** Reaps a child that has exited and returns its status; `gone` when another caller has reaped it. */
  wait(pid: number): number | "alive" | "gone";
}

interface Program {
  readonly args: readonly string[];
  readonly env: Environment;
}

export interface SpawnSetting {
  readonly cwd: string;
  /** Descriptors of ours; without one, stdin is /dev/null. */
  readonly stdin: number | undefined;
  readonly stdout: number;
  readonly stderr: number;
}

/** What one start works on. */
interface Memory {
  readonly actions: PinnedMemory;
  readonly pid: PinnedMemory;
  readonly file: PinnedMemory;
  readonly room: PinnedMemory;
}

/** @throws when the library for calling it does not run on this host. */
export async function openLibc(): Promise<Libc> {
  const { default: koffi } = await import("koffi");
  const library = koffi.load(null);
  const pipe2 = library.func("int pipe2(void *ends, int flags)");
  const waitpid = library.func("int waitpid(int pid, void *status, int options)");
  const actionsInit = library.func("int posix_spawn_file_actions_init(void *actions)");
  const actionsDestroy = library.func("int posix_spawn_file_actions_destroy(void *actions)");
  const addChdir = library.func(
    "int posix_spawn_file_actions_addchdir_np(void *actions, const char *directory)",
  );
  const addDup2 = library.func(
    "int posix_spawn_file_actions_adddup2(void *actions, int from, int to)",
  );
  const addOpen = library.func(
    "int posix_spawn_file_actions_addopen(void *actions, int to, const char *file, int flags, uint32_t mode)",
  );
  const addCloseFrom = optional(() =>
    library.func("int posix_spawn_file_actions_addclosefrom_np(void *actions, int from)"),
  );
  const close = library.func("int close(int descriptor)");
  const read = library.func("intptr_t read(int descriptor, void *into, uintptr_t length)");
  // Its third argument is optional, which none of the supported processors tells apart.
  const fcntl = library.func("int fcntl(int descriptor, int command, int value)");
  const kill = library.func("int kill(int process, int signal)");
  const threads = new StartThreads();
  await threads.open();
  const numbers = Buffer.alloc(room);
  const reserve = (length: number): PinnedMemory => {
    const bytes = Buffer.allocUnsafeSlow(Math.max(smallest, length));
    return { bytes, at: koffi.address(bytes) as bigint };
  };
  const blocks = new ExecVectors(reserve);
  const slots = new ResourcePool(mostAtOnce, () => ({
    actions: reserve(room),
    pid: reserve(room),
    file: reserve(pathRoom),
    room: reserve(usualBlock),
  }));
  const held = new Set<ExecVector>();
  const attributes = reserve(room);
  fillAttributes(library, attributes.bytes);

  function describe(actions: Buffer, { cwd, stdin, stdout, stderr }: SpawnSetting): void {
    expect0(addChdir(actions, cwd));
    if (stdin === undefined) expect0(addOpen(actions, 0, "/dev/null", readOnly, 0));
    else expect0(addDup2(actions, stdin, 0));
    expect0(addDup2(actions, stdout, 1));
    expect0(addDup2(actions, stderr, 2));
    // What this process was started with.
    if (addCloseFrom) expect0(addCloseFrom(actions, 3));
  }

  async function start(path: string, block: ExecVector, memory: Memory): Promise<number> {
    const { actions, pid, file } = memory;
    if (Buffer.byteLength(path) >= pathRoom) return nameTooLong;
    file.bytes.write(`${path}\0`);
    return threads.call(pid.at, file.at, actions.at, attributes.at, block.argv, block.envp);
  }

  return {
    pipe() {
      if (pipe2(numbers, closeOnExec) !== 0) throw systemError(koffi.errno());
      return { reader: numbers.readInt32LE(0), writer: numbers.readInt32LE(4) };
    },
    unblock(descriptor) {
      fcntl(descriptor, setStatusFlags, nonBlocking);
    },
    read: (descriptor, into) => Number(read(descriptor, into, into.length)),
    close(descriptor) {
      close(descriptor);
    },
    isGone: (group) => kill(-group, 0) !== 0 && koffi.errno() === noSuchProcess,
    async spawn(file, { args, env }, setting) {
      const taken = slots.take();
      const memory = taken instanceof Promise ? await taken : taken;
      const block = blocks.lay(args, env, memory.room);
      held.add(block);
      try {
        const actions = memory.actions.bytes;
        expect0(actionsInit(actions));
        try {
          describe(actions, setting);
          expect0(await start(file, block, memory));
          return memory.pid.bytes.readInt32LE(0);
        } finally {
          actionsDestroy(actions);
        }
      } finally {
        held.delete(block);
        slots.give(memory);
      }
    },
    wait(pid) {
      const found = waitpid(pid, numbers, noHang);
      if (found === 0) return "alive";
      return found === pid ? numbers.readInt32LE(0) : "gone";
    },
  };
}

/** The same for every command, so made once. */
function fillAttributes(
  library: { func(definition: string): (...of: unknown[]) => number },
  attributes: Buffer,
): void {
  const signals = Buffer.alloc(room);
  expect0(library.func("int posix_spawnattr_init(void *attributes)")(attributes));
  library.func("int sigfillset(void *signals)")(signals);
  expect0(
    library.func("int posix_spawnattr_setsigdefault(void *attributes, void *signals)")(
      attributes,
      signals,
    ),
  );
  library.func("int sigemptyset(void *signals)")(signals);
  expect0(
    library.func("int posix_spawnattr_setsigmask(void *attributes, void *signals)")(
      attributes,
      signals,
    ),
  );
  expect0(
    library.func("int posix_spawnattr_setflags(void *attributes, short flags)")(
      attributes,
      setSignalDefaults | setSignalMask | (hasTerminal() ? setSession : setGroup),
    ),
  );
}

/**
 * Whether there is a terminal that a program of the same session could ask for a password. Where there is none, a session of its own would
 * change nothing for it, and the kernel's scheduler gives each session the same share as all others together.
 */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/** These calls return the number of their error. */
/** `undefined` where the library does not have it. */
function optional<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

function expect0(number: number): void {
  if (number !== 0) throw systemError(number);
}

function systemError(number: number): Error {
  const code = getSystemErrorName(-number);
  return Object.assign(new Error(code), { code });
}
