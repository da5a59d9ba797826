/** `-pidfile`: holds the process id and keeps a second process from starting. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StartupError } from "./host.js";

export class PidFile {
  readonly #path: string;

  /** @throws StartupError if the process in the file is alive, or the file cannot be written */
  static write(path: string): PidFile {
    const present = pidIn(path);
    if (present !== undefined && present !== process.pid && lives(present)) {
      throw new StartupError(
        `The process ${present} of ${path} is running; stop it or use another file.`,
      );
    }
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
      writeFileSync(path, String(process.pid), { mode: 0o600 });
    } catch (thrown) {
      throw new StartupError(
        `The pid file ${path} cannot be written: ${(thrown as Error).message}.`,
      );
    }
    return new PidFile(path);
  }

  private constructor(path: string) {
    this.#path = path;
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

function pidIn(path: string): number | undefined {
  try {
    const written = readFileSync(path, "utf8").trim();
    return /^[1-9]\d{0,9}$/.test(written) ? Number(written) : undefined;
  } catch {
    return undefined;
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
