/** One daemon after another in one folder, in a shell that may have a small disk of its own for their state. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Answer, ask } from "../../daemon/http/testing/client.js";
import { child, type Ending, runSync } from "../support/child.js";
import { eventually } from "../support/eventually.js";

const PROGRAM = fileURLToPath(new URL("../../daemon/main/testing/moved-clock.js", import.meta.url));
/** Some starts and some hundred runs take a quarter of it. */
const SIZE = 32 * 1024 * 1024;

/** The words before `sh -c SCRIPT` that give it a small disk; `undefined` where this cannot be had. */
function wordsOfSmallDisk(directory: string): readonly string[] | undefined {
  if (process.getuid?.() === 0) {
    const mount = `mount -t tmpfs -o size=${SIZE},mode=700 tmpfs "$0" && exec "$@"`;
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount, directory];
  }
  const binds = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"];
  return ["bwrap", ...binds, "--size", String(SIZE), "--tmpfs", directory, "--die-with-parent"];
}

let isPossible: boolean | undefined;

/** Whether a small disk can be had on this machine. `directory` is empty. */
export function canHaveSmallDisk(directory: string): boolean {
  if (isPossible === undefined) {
    const [program = "", ...words] = wordsOfSmallDisk(directory) ?? [];
    try {
      isPossible = runSync(program, [...words, "true"]).code === 0;
    } catch {
      isPossible = false;
    }
  }
  return isPossible;
}

interface MachineOptions {
  /** For `state`. */
  readonly hasSmallDisk?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export class Machine {
  readonly directory: string;
  readonly #shell: ReturnType<typeof child>;
  #pid = 0;
  #launches = 0;
  #commands = 0;

  /** `directory` has `main.reeve` and an empty directory `state`. */
  constructor(
    t: Ending,
    directory: string,
    { hasSmallDisk = false, env: more = {} }: MachineOptions = {},
  ) {
    this.directory = directory;
    this.moveClock(0);
    const script = 'while read -r line; do eval "$line"; done';
    const prefix = hasSmallDisk ? (wordsOfSmallDisk(join(directory, "state")) ?? []) : [];
    const [program = "", ...words] = [...prefix, "sh", "-c", script];
    const env = { ...process.env, ...more, REEVE_CLOCK: join(directory, "clock") };
    this.#shell = child(t, program, words, { cwd: directory, env, stdio: "pipe" });
    this.#shell.process.stdin?.on("error", () => undefined);
  }

  async launch(): Promise<void> {
    this.#launches += 1;
    const words = [
      PROGRAM,
      ...["main.reeve", "state", "control.sock"].map((name) => this.#at(name)),
    ];
    const command = [process.execPath, ...words].map((word) => `"${word}"`).join(" ");
    const pid = await this.#execute(`${command} >"${this.#said}" 2>>err & daemon=$!; answer=$!`);
    this.#pid = Number(pid);
  }

  /** Whether the daemon that was launched last serves. It may refuse, where its disk is full. */
  async ready(): Promise<boolean> {
    const [, what] = await eventually(
      "what the daemon says first",
      () =>
        /^\{"(control|name|code|message|errors)":.*$/m.exec(this.#text(this.#said)) ??
        (this.isAlive ? undefined : ["", "nothing"]),
      { every: 20 },
    );
    if (what === "control") return true;
    await this.ended();
    return false;
  }

  /** Of the daemon that was launched last. */
  get pid(): number {
    return this.#pid;
  }

  signal(name: "TERM" | "KILL" | "HUP" | "WINCH" | "STOP"): void {
    if (this.isAlive) process.kill(this.#pid, `SIG${name}`);
  }

  /** Resolves with its exit code when the daemon is gone. */
  async ended(): Promise<number> {
    return Number(await this.#execute("wait $daemon; answer=$?"));
  }

  /** A daemon that has ended is a zombie until its end is awaited. */
  get isAlive(): boolean {
    const stat = this.#text(`/proc/${this.#pid}/stat`);
    return this.#pid > 0 && /^[^Z]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  }

  async fill(): Promise<void> {
    await this.#execute(`head -c ${2 * SIZE} /dev/zero >state/ballast 2>/dev/null`);
  }

  async free(): Promise<void> {
    await this.#execute("rm -f state/ballast");
  }

  /** Milliseconds from the true time. Daemons that are launched have it; one that runs has it after `clockIsMoved`. */
  moveClock(distance: number): void {
    writeFileSync(this.#at("clock"), String(distance));
  }

  async clockIsMoved(): Promise<void> {
    const before = this.#text(this.#said).length;
    this.signal("WINCH");
    await eventually(
      "the daemon to read its clock",
      () => !this.isAlive || /^clock /m.test(this.#text(this.#said).slice(before)),
    );
  }

  control(path: string, method = "GET"): Promise<Answer> {
    return ask(`unix:${this.#at("control.sock")}`, path, { method });
  }

  /** `json`: its body. */
  send(path: string, json?: unknown): Promise<Answer> {
    const headers = { "content-type": "application/json" };
    const body = json === undefined ? {} : { headers, body: JSON.stringify(json) };
    return ask(`unix:${this.#at("hooks.sock")}`, path, { method: "POST", ...body });
  }

  /** Parts that daemons could not wait for when they stopped, by their logs. */
  get lateParts(): number {
    return this.#text(this.#at("err")).split(/not closed in time|exit deadline ended/).length - 1;
  }

  /** The last lines of the logs, and what the last daemon said. */
  get log(): string {
    const lines = this.#text(this.#at("err")).split("\n").slice(-40);
    return [...lines, this.#text(this.#said), this.#shell.stderr].join("\n");
  }

  get #said(): string {
    return this.#at(`said-${this.#launches}`);
  }

  #at(name: string): string {
    return join(this.directory, name);
  }

  #text(path: string): string {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  }

  /** What the command sets `answer` to. */
  async #execute(command: string): Promise<string> {
    this.#commands += 1;
    const pattern = new RegExp(`^${this.#commands} (.*)$`, "m");
    this.#shell.process.stdin?.write(`answer=; ${command}; echo "${this.#commands} $answer"\n`);
    const [, answer = ""] = await this.#shell.says(pattern);
    return answer;
  }
}
