/** The user's terminal, whatever the standard input is: one key at a time. */
import { closeSync, openSync, readFileSync } from "node:fs";
import { ReadStream } from "node:tty";

const interrupt = "\u0003";

export class UserTerminal implements Disposable {
  #input: ReadStream | undefined;

  /** Calls back for each key, until `release`. False without a terminal in the foreground. */
  read(key: (key: string) => void): boolean {
    if (this.#input) return true;
    if (!isForeground()) return false;
    let descriptor: number;
    try {
      descriptor = openSync("/dev/tty", "r");
    } catch {
      return false;
    }
    try {
      this.#input = new ReadStream(descriptor);
    } catch {
      closeSync(descriptor);
      return false;
    }
    this.#input.on("error", () => this.release());
    // Without echo, and at once: the user presses one key.
    this.#input.setRawMode(true).setEncoding("utf8");
    this.#input.on("data", (text) => {
      for (const each of String(text)) {
        if (each === interrupt) process.kill(process.pid, "SIGINT");
        else key(each);
      }
    });
    return true;
  }

  /** Gives the terminal back as it was. */
  release(): void {
    this.#input?.setRawMode(false);
    this.#input?.destroy();
    this.#input = undefined;
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** A process in the background is stopped when it reads or changes the terminal. */
function isForeground(): boolean {
  const text = readFileSync("/proc/self/stat", "utf8");
  const [, , group, , , foreground] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return group !== undefined && group === foreground;
}
