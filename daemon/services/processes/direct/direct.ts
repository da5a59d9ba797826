/**
 * The fast way: `posix_spawn`, which lends the daemon's memory to the new process until it has become the program, so
 * that a start costs the same however large the daemon is.
 */
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Launch, Started, Starter } from "../starter.js";
import { blockOf } from "./block.js";
import { Children } from "./children.js";
import { isSupported, type Libc, openLibc, type Setting } from "./libc.js";
import { filesFor } from "./search.js";

/** A file that is not there, or not within reach: `execvp` goes on to the next. */
const elsewhere = new Set(["ENOENT", "ENOTDIR", "EACCES", "ESTALE", "ENODEV", "ETIMEDOUT"]);

/** One a process, since signals are the process's. */
let opened: Promise<Starter | undefined> | undefined;

/** `undefined` where this host cannot do it. */
export function directStarter(): Promise<Starter | undefined> {
  opened ??= isSupported
    ? openLibc().then(
        (libc) => new DirectStarter(libc),
        () => undefined,
      )
    : Promise.resolve(undefined);
  return opened;
}

class DirectStarter implements Starter {
  readonly #libc: Libc;
  readonly #children: Children;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#children = new Children(libc.wait);
  }

  async start(launch: Launch): Promise<Started> {
    refuseZeroBytes(launch);
    const pipes = new Pipes(this.#libc);
    try {
      const stdin = launch.stdin ? pipes.towards() : undefined;
      const stdout = pipes.from();
      const stderr = launch.output === "merged" ? stdout : pipes.from();
      const child = await this.#children.follow(() =>
        this.#spawn(launch, {
          cwd: launch.cwd,
          stdin: stdin?.theirs,
          stdout: stdout.theirs,
          stderr: stderr.theirs,
        }),
      );
      const out = ["stdout", stdout.ours] as const;
      return {
        ...child,
        stdin: stdin?.ours,
        outputs: stderr === stdout ? [out] : [out, ["stderr", stderr.ours]],
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

  async #spawn({ program, args, cwd, env }: Launch, setting: Setting): Promise<number> {
    const block = blockOf([program, ...args], env);
    let fault: unknown = Object.assign(new Error("ENOENT"), { code: "ENOENT" });
    for (const file of filesFor(program, cwd, env.PATH)) {
      try {
        return await this.#libc.spawn(file, block, setting);
      } catch (thrown) {
        const { code = "" } = thrown as NodeJS.ErrnoException;
        if (code === "ENOEXEC") {
          // A script without a first line that names its interpreter.
          return await this.#libc.spawn(
            "/bin/sh",
            blockOf(["/bin/sh", file, ...args], env),
            setting,
          );
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
  readonly #ours: Socket[] = [];
  readonly #theirs: number[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  from(): { readonly ours: Socket; readonly theirs: number } {
    const { reader, writer } = this.#libc.pipe();
    this.#theirs.push(writer);
    return { ours: this.#own({ fd: reader, readable: true, writable: false }), theirs: writer };
  }

  towards(): { readonly ours: Socket; readonly theirs: number } {
    const { reader, writer } = this.#libc.pipe();
    this.#theirs.push(reader);
    return { ours: this.#own({ fd: writer, readable: false, writable: true }), theirs: reader };
  }

  /** Otherwise we would never see the end of what the command says. */
  handedOver(): void {
    for (const descriptor of this.#theirs) closeSync(descriptor);
  }

  abandon(): void {
    for (const socket of this.#ours) socket.destroy();
  }

  #own(options: { fd: number; readable: boolean; writable: boolean }): Socket {
    const socket = new Socket(options);
    this.#ours.push(socket);
    return socket;
  }
}

function refuseZeroBytes({ program, args, cwd, env }: Launch): void {
  const texts = [program, cwd, ...args, ...Object.keys(env), ...Object.values(env)];
  if (!texts.some((text) => text.includes("\0"))) return;
  throw Object.assign(new Error("a zero byte"), { code: "ERR_INVALID_ARG_VALUE" });
}
