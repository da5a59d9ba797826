/**
 * The fast way: `posix_spawn`, which lends the daemon's memory to the new process until it has become the program, so
 * that a start costs the same however large the daemon is.
 */
import { Socket } from "node:net";
import type { Launch, SpawnedProcess, Spawner } from "../spawner.js";
import { Children } from "./children.js";
import { isSupported, type Libc, openLibc, type SpawnSetting } from "./libc.js";
import { PipeOutput } from "./pipe-output.js";
import { filesFor } from "./search.js";

/** A file that is not there, or not within reach: `execvp` goes on to the next. */
const elsewhere = new Set(["ENOENT", "ENOTDIR", "EACCES", "ESTALE", "ENODEV", "ETIMEDOUT"]);

/** One a process, since signals are the process's. */
let opened: Promise<Spawner | undefined> | undefined;

/** `undefined` where this host cannot do it. */
export function directSpawner(): Promise<Spawner | undefined> {
  opened ??= isSupported
    ? openLibc().then(
        (libc) => new DirectStarter(libc),
        () => undefined,
      )
    : Promise.resolve(undefined);
  return opened;
}

class DirectStarter implements Spawner {
  readonly #libc: Libc;
  readonly #children: Children;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#children = new Children(libc.wait);
  }

  async start(launch: Launch): Promise<SpawnedProcess> {
    refuseZeroBytes(launch);
    const pipes = new Pipes(this.#libc);
    try {
      const stdin = launch.stdin ? pipes.towards() : undefined;
      const stdout = pipes.from("stdout");
      const stderr = launch.output === "merged" ? stdout : pipes.from("stderr");
      const child = await this.#children.follow(() =>
        this.#spawn(launch, {
          cwd: launch.cwd,
          stdin: stdin?.theirs,
          stdout: stdout.theirs,
          stderr: stderr.theirs,
        }),
      );
      return {
        pid: child.pid,
        ending: child.ending,
        stdin: stdin?.ours,
        outputs: stderr === stdout ? [stdout.ours] : [stdout.ours, stderr.ours],
        isGone: () => this.#libc.isGone(child.pid),
      };
    } catch (thrown) {
      pipes.abandon();
      throw thrown;
    } finally {
      pipes.handedOver();
    }
  }

  async close(): Promise<void> {
    // It is shared, and holds nothing once its children are gone.
  }

  async #spawn({ program, args, cwd, env }: Launch, setting: SpawnSetting): Promise<number> {
    const all = [program, ...args];
    let fault: unknown = Object.assign(new Error("ENOENT"), { code: "ENOENT" });
    for (const file of filesFor(program, cwd, env.get("PATH"))) {
      try {
        return await this.#libc.spawn(file, { args: all, env }, setting);
      } catch (thrown) {
        const { code = "" } = thrown as NodeJS.ErrnoException;
        if (code === "ENOEXEC") {
          // A script without a first line that names its interpreter.
          const script = { args: ["/bin/sh", file, ...args], env };
          return await this.#libc.spawn("/bin/sh", script, setting);
        }
        if (!elsewhere.has(code)) throw thrown;
        if (code === "EACCES" || (fault as NodeJS.ErrnoException).code === "ENOENT") fault = thrown;
      }
    }
    throw fault;
  }
}

/** The pipes of one command: our ends, and those that are ours only until it has them. */
class Pipes {
  readonly #libc: Libc;
  readonly #outputs: PipeOutput[] = [];
  readonly #theirs: number[] = [];
  #input: Socket | undefined;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  from(name: "stdout" | "stderr"): { readonly ours: PipeOutput; readonly theirs: number } {
    const { reader, writer } = this.#libc.pipe();
    this.#theirs.push(writer);
    const ours = new PipeOutput(name, reader, this.#libc);
    this.#outputs.push(ours);
    return { ours, theirs: writer };
  }

  towards(): { readonly ours: Socket; readonly theirs: number } {
    const { reader, writer } = this.#libc.pipe();
    this.#theirs.push(reader);
    this.#input = new Socket({ fd: writer, readable: false, writable: true });
    return { ours: this.#input, theirs: reader };
  }

  /** Otherwise we would never see the end of what the command says. */
  handedOver(): void {
    for (const descriptor of this.#theirs) this.#libc.close(descriptor);
  }

  abandon(): void {
    this.#input?.destroy();
    for (const output of this.#outputs) output.abandon();
  }
}

const hasZeroByte = (text: string): boolean => text.includes("\0");

/** What is inherited has none: the system has it from such texts itself. */
function refuseZeroBytes({ program, args, cwd, env: { added } }: Launch): void {
  let found = hasZeroByte(program) || hasZeroByte(cwd) || args.some(hasZeroByte);
  for (const name in added) found ||= hasZeroByte(name) || hasZeroByte(added[name] ?? "");
  if (found) throw Object.assign(new Error("a zero byte"), { code: "ERR_INVALID_ARG_VALUE" });
}
