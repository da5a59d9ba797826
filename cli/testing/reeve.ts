/** The real program, and real files for it. */
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { type Child, child, run } from "../../tests/support/child.js";
import { REEVE, REEVE_MODULES } from "../../tests/support/commands.js";
import { within } from "../../tests/support/eventually.js";
import type { HostAnswer, HostRequest } from "./host.js";

export { folder } from "../../tests/support/folder.js";

const HOST = fileURLToPath(new URL("host.js", import.meta.url));

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramEnvironment {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Options of Node itself: then it is a process of its own. */
  readonly node?: readonly string[];
  /**
   * Whether it has a process of its own, instead of one that all command lines of the file share, one after the other.
   * @default for commands that keep their process or change it
   */
  readonly isAlone?: boolean;
}

/** Runs `reeve` with these words to its end. Its environment is `PATH` and what is given, nothing else. */
export async function reeve(
  words: readonly string[],
  given: ProgramEnvironment = {},
): Promise<ProgramResult> {
  const { cwd = tmpdir(), env = {}, stdin = "", node } = given;
  const isAlone = given.isAlone ?? KEEPERS.has(words[0] ?? "");
  const environment = { PATH: process.env.PATH, ...env };
  if (isAlone || node !== undefined) {
    const all = node === undefined ? [REEVE, ...words] : [...node, REEVE_MODULES, ...words];
    const result = await run(process.execPath, all, { cwd, env: environment, input: stdin });
    return { code: result.code, stdout: result.stdout, stderr: result.stderr };
  }
  const host = await freeHost();
  return host.run({ words, cwd, env: environment, stdin });
}

/** Commands that keep their process, or change it. */
const KEEPERS = new Set(["demo", "lsp", "top", "up", "web"]);
/** Milliseconds that one command may take. */
const LIMIT = 100_000;
/** Milliseconds without the end of any command after which another process starts: one command may wait for the next. */
const STUCK = 2000;
const MOST = 4;

class Host {
  readonly #child: Child;
  readonly #ready: Promise<unknown>;

  constructor() {
    // It ends with the process of the tests, and keeps that one alive only during a command.
    this.#child = child({ teardown: () => undefined }, process.execPath, [HOST], {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#ready = once(this.#child.process, "message");
    this.#ready.catch(() => undefined);
    for (const stream of [this.#child.process.stdout, this.#child.process.stderr])
      (stream as { unref?(): void } | null)?.unref?.();
    this.#keepAlive(false);
    process.once("beforeExit", () => this.#child.end());
  }

  async run(request: HostRequest): Promise<ProgramResult> {
    const { process: own } = this.#child;
    this.#keepAlive(true);
    try {
      const died = this.#child.ended.then((end) => {
        throw new Error(`the process of \`reeve\` ended with ${end}: ${this.#child.stderr}`);
      });
      died.catch(() => undefined);
      await Promise.race([this.#ready, died]);
      const answered = once(own, "message") as Promise<[HostAnswer]>;
      own.send(request);
      const what = `the end of reeve ${request.words.join(" ")}`;
      const [answer] = await within(what, Promise.race([answered, died]), LIMIT);
      const { isLast, ...result } = answer;
      if (isLast) await this.#child.end();
      return result;
    } catch (thrown) {
      await this.#child.end();
      throw thrown;
    } finally {
      this.#keepAlive(false);
      released(this, this.#child.isAlive && own.connected);
    }
  }

  #keepAlive(isKept: boolean): void {
    const { process: own } = this.#child;
    if (isKept) {
      own.ref();
      own.channel?.ref?.();
    } else {
      own.unref();
      own.channel?.unref?.();
    }
  }
}

const idle: Host[] = [];
const waiting: Array<(host: Host) => void> = [];
let count = 0;
let lastEnd = 0;

function released(host: Host, isAlive: boolean): void {
  lastEnd = performance.now();
  if (!isAlive) count -= 1;
  const next = waiting.shift();
  if (next) next(isAlive ? host : started());
  else if (isAlive) idle.push(host);
}

function started(): Host {
  count += 1;
  return new Host();
}

async function freeHost(): Promise<Host> {
  const free = idle.pop();
  if (free) return free;
  if (count === 0) return started();
  const turn = Promise.withResolvers<Host>();
  waiting.push(turn.resolve);
  for (;;) {
    const host = await within("a turn", turn.promise, STUCK).catch(() => undefined);
    if (host) return host;
    const position = waiting.indexOf(turn.resolve);
    if (position === -1) return turn.promise;
    if (count < MOST && performance.now() - lastEnd > STUCK) {
      waiting.splice(position, 1);
      lastEnd = performance.now();
      return started();
    }
  }
}
