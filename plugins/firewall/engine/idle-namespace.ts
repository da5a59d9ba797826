/**
 * A namespace that waits for its command as a shell that reads a named pipe, which takes a megabyte instead of Node's
 * memory. Input and outputs of the command are named pipes as well, which it can reopen as `/dev/stdin`.
 */
import { chownSync, closeSync, constants, openSync, writeFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FirewallError, systemCode } from "../errors.js";
import type { EnterMessage, EnterPlan, ExecOrder } from "./enter.js";
import { beginNamespace, type Namespace, type PendingNamespace, quoteWord } from "./namespace.js";

/** This side's ends of a command's pipes. */
export interface CommandPipes {
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Silent if the outputs are merged. */
  readonly stderr: Socket;
  /** Resolves with true once the command runs, with false if everything ends before. */
  readonly started: Promise<boolean>;
}

export interface IdleNamespace extends Namespace {
  /** Creates the pipes; once, before `exec`. `merged` sends both outputs to `stdout` in order. */
  connect(options: { readonly merged: boolean }): CommandPipes;
  /** Ends the namespace and everything inside. */
  abandon(): Promise<void>;
}

/** The command first writes to this descriptor and closes it. */
export const startedDescriptor = 7;

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK } = constants;
const names = { order: "order", stdin: "in", stdout: "out", stderr: "err", started: "started" };
/** How long the shell may take to read its pipe. */
const shellMs = 10_000;

/** Creates an idle namespace in a private directory of its own. @throws {FirewallError} `cannot_isolate` */
export async function createIdleNamespace(
  plan: EnterPlan,
  directory: string,
  signal: AbortSignal,
): Promise<IdleNamespace> {
  const pipes = Object.values(names).map((name) => join(directory, name));
  const beginning = beginNamespace(["ignore", "ignore", "pipe"], pipes);
  const said = textOf(beginning);
  const abandon = () => void beginning.abandon();
  signal.addEventListener("abort", abandon, { once: true });
  try {
    const namespace = await beginning.open(plan);
    // A failed send shows as the process's end.
    beginning.process.send({ kind: "park", directory } satisfies EnterMessage, () => {});
    return new IdleNamespaceProcess(namespace, beginning, directory);
  } catch (thrown) {
    await beginning.abandon();
    const reason = said().trim();
    if (reason === "" || !(thrown instanceof FirewallError)) throw thrown;
    throw new FirewallError(thrown.code, `${thrown.message} (${reason})`);
  } finally {
    signal.removeEventListener("abort", abandon);
  }
}

class IdleNamespaceProcess implements IdleNamespace {
  readonly #namespace: Namespace;
  readonly #beginning: PendingNamespace;
  readonly #directory: string;
  #merged = false;

  constructor(namespace: Namespace, beginning: PendingNamespace, directory: string) {
    this.#namespace = namespace;
    this.#beginning = beginning;
    this.#directory = directory;
  }

  get pid() {
    return this.#namespace.pid;
  }
  get sockets() {
    return this.#namespace.sockets;
  }
  get process() {
    return this.#namespace.process;
  }
  get exited() {
    return this.#namespace.exited;
  }

  close(): void {
    this.#namespace.close();
  }

  abandon(): Promise<void> {
    return this.#beginning.abandon();
  }

  connect({ merged }: { readonly merged: boolean }): CommandPipes {
    this.#merged = merged;
    // Held open until the command has its own ends, so that neither side sees an early end of file.
    const held = Object.values(names)
      .slice(1)
      .map((name) => openSync(join(this.#directory, name), O_RDWR | O_NONBLOCK));
    const stdin = this.#socket(names.stdin, O_WRONLY, { readable: false, writable: true });
    const [stdout, stderr, began] = [names.stdout, names.stderr, names.started].map((name) =>
      this.#socket(name, O_RDONLY, { readable: true, writable: false }),
    ) as [Socket, Socket, Socket];
    const closeHeld = () => {
      for (const descriptor of held.splice(0)) closeSync(descriptor);
    };
    const started = new Promise<boolean>((resolve) => {
      began.once("data", () => {
        closeHeld();
        began.destroy();
        resolve(true);
      });
      void this.exited.then(() => {
        closeHeld();
        began.once("close", () => resolve(false));
        began.resume();
      });
    });
    return { stdin, stdout, stderr, started };
  }

  exec(order: ExecOrder): void {
    writeFileSync(join(this.#directory, "start"), this.#script(order), { mode: 0o600 });
    // The command's user must be able to reopen the pipes by name.
    const { user } = order;
    if (user) {
      for (const name of [names.stdin, names.stdout, names.stderr]) {
        chownSync(join(this.#directory, name), user.uid, user.gid);
      }
    }
    void this.#order(`. ${quoteWord(join(this.#directory, "start"))}\n`);
  }

  #socket(name: string, mode: number, way: { readable: boolean; writable: boolean }): Socket {
    const fd = openSync(join(this.#directory, name), mode | O_NONBLOCK);
    const socket = new Socket({ fd, ...way });
    socket.on("error", () => socket.destroy());
    return socket;
  }

  #script({ script, arguments: words, environment, user }: ExecOrder): string {
    const path = (name: string) => quoteWord(join(this.#directory, name));
    const runScript = user
      ? `exec setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups sh -c ${quoteWord(script)} sh "$@"\n`
      : `${script}\n`;
    return [
      `exec <${path(names.stdin)} >${path(names.stdout)} ${startedDescriptor}>${path(names.started)}\n`,
      this.#merged ? "exec 2>&1\n" : `exec 2>${path(names.stderr)}\n`,
      ...Object.entries(environment).map(([name, value]) => `export ${name}=${quoteWord(value)}\n`),
      `set -- ${words.map(quoteWord).join(" ")}\n`,
      runScript,
    ].join("");
  }

  /** Retries until the shell reads the pipe. */
  async #order(text: string): Promise<void> {
    const path = join(this.#directory, names.order);
    for (const end = performance.now() + shellMs; ; ) {
      try {
        const descriptor = openSync(path, O_WRONLY | O_NONBLOCK);
        writeSync(descriptor, text);
        closeSync(descriptor);
        return;
      } catch (thrown) {
        if (systemCode(thrown) !== "ENXIO" || performance.now() > end) return this.abandon();
        await sleep(1);
      }
    }
  }
}

/** The start of the processes' error output. */
function textOf({ process: { stderr } }: PendingNamespace): () => string {
  let text = "";
  stderr?.setEncoding("utf8").on("data", (more: string) => {
    if (text.length < 1000) text += more;
  });
  return () => text;
}
