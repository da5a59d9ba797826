/** Reads the objects of a repository through one persistent `git cat-file --batch`. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { UpdatesError } from "../errors.js";
import { gitEnvironment } from "./git.js";

export interface StoredObject {
  readonly sha: string;
  readonly content: Buffer;
}

interface Waiting {
  readonly resolve: (found: StoredObject | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** Milliseconds of idleness after which the process is stopped. */
const idle = 10_000;

export class ObjectReader {
  readonly #directory: string;
  #child: ChildProcessWithoutNullStreams | undefined;
  #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes of the current response, header and final newline included; 0 between responses. */
  #wanted = 0;
  #headerLength = 0;
  #sha = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** `undefined` if there is no such object. `name` is a git revision: `<sha>:<path>`, `refs/heads/main^{commit}`. */
  read(name: string): Promise<StoredObject | undefined> {
    if (/[\n\0]/.test(name)) return Promise.resolve(undefined);
    const child = this.#running();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      child.stdin.write(`${name}\n`);
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = undefined;
    child?.stdin.end();
  }

  #running(): ChildProcessWithoutNullStreams {
    clearTimeout(this.#timer);
    if (this.#child) return this.#child;
    const child = spawn("git", ["-C", this.#directory, "cat-file", "--batch"], {
      env: gitEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr.resume();
    child.once("error", () => this.#ended(child));
    child.once("close", () => this.#ended(child));
    this.#child = child;
    return child;
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#wanted > 0 && this.#length < this.#wanted) return;
    let received = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      if (this.#wanted === 0) {
        const end = received.indexOf(10);
        if (end === -1) break;
        const header = received.subarray(0, end).toString("utf8");
        const [, sha = "", size] = /^([0-9a-f]+) [a-z]+ (\d+)$/.exec(header) ?? [];
        this.#sha = sha;
        this.#headerLength = end + 1;
        this.#wanted = size === undefined ? end + 1 : end + 1 + Number(size) + 1;
      }
      if (received.length < this.#wanted) break;
      const isMissing = this.#wanted === this.#headerLength;
      const found = isMissing
        ? undefined
        : {
            sha: this.#sha,
            content: Buffer.from(received.subarray(this.#headerLength, this.#wanted - 1)),
          };
      received = received.subarray(this.#wanted);
      this.#wanted = 0;
      this.#waiting.shift()?.resolve(found);
    }
    this.#chunks = received.length > 0 ? [received] : [];
    this.#length = received.length;
    if (this.#waiting.length === 0) this.#rest();
  }

  #rest(): void {
    this.#timer = setTimeout(() => this.close(), idle);
    this.#timer.unref();
  }

  #ended(child: ChildProcessWithoutNullStreams): void {
    if (this.#child === child) this.#child = undefined;
    else if (this.#child) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#chunks = [];
    this.#length = 0;
    this.#wanted = 0;
    for (const { reject } of waiting) {
      reject(new UpdatesError("git_failed", `Cannot read the repository ${this.#directory}.`));
    }
  }
}
