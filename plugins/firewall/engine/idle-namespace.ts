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
  /** Closes this side's ends, for a command that did not start. */
  close(): void;
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

/**
 * Creates an idle namespace in a private directory of its own, until `signal` aborts.
 * @throws {FirewallError} `cannot_isolate`, also when it aborts meanwhile; the signal's reason if it had aborted before
 */
export async function createIdleNamespace(
  plan: EnterPlan,
  directory: string,
  signal: AbortSignal,
): Promise<IdleNamespace> {
  signal.throwIfAborted();
  const pipes = Object.values(names).map((name) => join(directory, name));
  const pending = beginNamespace(["ignore", "ignore", "pipe"], pipes);
  const errorOutput = textOf(pending);
  const abandon = () => void pending.abandon();
  signal.addEventListener("abort", abandon, { once: true });
  try {
    const namespace = await pending.open(plan);
    // A failed send shows as the process's end.
    pending.process.send({ kind: "park", directory } satisfies EnterMessage, () => {});
    return idleNamespace(namespace, pending, directory);
  } catch (thrown) {
    await pending.abandon();
    const reason = errorOutput().trim();
    if (reason === "" || !(thrown instanceof FirewallError)) throw thrown;
    throw new FirewallError(thrown.code, `${thrown.message} (${reason})`);
  } finally {
    signal.removeEventListener("abort", abandon);
  }
}

function idleNamespace(
  namespace: Namespace,
  pending: PendingNamespace,
  directory: string,
): IdleNamespace {
  let merged = false;
  return {
    ...namespace,
    abandon: () => pending.abandon(),
    connect: (options) => {
      merged = options.merged;
      return connectPipes(directory, namespace.exited);
    },
    exec: (order) => {
      const start = join(directory, "start");
      writeFileSync(start, startScript(directory, order, merged), { mode: 0o600 });
      // The command's user must be able to reopen the pipes by name.
      const { user } = order;
      const pipes = user ? [names.stdin, names.stdout, names.stderr] : [];
      for (const name of pipes) chownSync(join(directory, name), user?.uid ?? 0, user?.gid ?? 0);
      void sendOrder(join(directory, names.order), `. ${quoteWord(start)}\n`, pending);
    },
  };
}

function connectPipes(directory: string, exited: Promise<unknown>): CommandPipes {
  using onFailure = new DisposableStack();
  // Held open until the command has its own ends, so that neither side sees an early end of file.
  const held = onFailure.use(new DisposableStack());
  for (const name of Object.values(names).slice(1)) {
    held.adopt(openSync(join(directory, name), O_RDWR | O_NONBLOCK), closeSync);
  }
  const open = (name: string, mode: number): Socket =>
    onFailure.adopt(openPipe(directory, name, mode), (socket) => socket.destroy());
  const stdin = open(names.stdin, O_WRONLY);
  const stdout = open(names.stdout, O_RDONLY);
  const stderr = open(names.stderr, O_RDONLY);
  const began = open(names.started, O_RDONLY);
  const all = onFailure.move();
  const started = new Promise<boolean>((resolve) => {
    began.once("close", () => resolve(false));
    began.once("data", () => {
      resolve(true);
      held.dispose();
      began.destroy();
    });
  });
  void exited.then(() => held.dispose());
  return { stdin, stdout, stderr, started, close: () => all.dispose() };
}

function openPipe(directory: string, name: string, mode: number): Socket {
  const fd = openSync(join(directory, name), mode | O_NONBLOCK);
  const socket = new Socket({ fd, readable: mode === O_RDONLY, writable: mode === O_WRONLY });
  socket.on("error", () => socket.destroy());
  return socket;
}

function startScript(
  directory: string,
  { script, arguments: words, environment }: ExecOrder,
  merged: boolean,
): string {
  const path = (name: string) => quoteWord(join(directory, name));
  return [
    `exec <${path(names.stdin)} >${path(names.stdout)} ${startedDescriptor}>${path(names.started)}\n`,
    merged ? "exec 2>&1\n" : `exec 2>${path(names.stderr)}\n`,
    ...Object.entries(environment).map(([name, value]) => `export ${name}=${quoteWord(value)}\n`),
    `set -- ${words.map(quoteWord).join(" ")}\n`,
    `${script}\n`,
  ].join("");
}

/** Retries until the shell reads the pipe. */
async function sendOrder(path: string, text: string, pending: PendingNamespace): Promise<void> {
  for (const end = performance.now() + shellMs; ; ) {
    try {
      const descriptor = openSync(path, O_WRONLY | O_NONBLOCK);
      writeSync(descriptor, text);
      closeSync(descriptor);
      return;
    } catch (thrown) {
      if (systemCode(thrown) !== "ENXIO" || performance.now() > end) return pending.abandon();
      await sleep(1);
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
