/**
 * Notifies systemd of the daemon's state. Node cannot send datagrams to unix sockets, so the `systemd-notify`
 * program does: one short process a message, none at all where systemd does not listen.
 */
import { execFile } from "node:child_process";
import { errorMessage } from "../errors.js";
import type { Log } from "../plugin-api/context.js";

export interface Notifier {
  /** The start, or a reload, is over. `status` is one line for `systemctl status`. */
  ready(status: string): Promise<void>;
  reloading(): Promise<void>;
  /** The line of `systemctl status` has changed. Of lines that come faster than systemd takes them, the last counts. */
  status(line: string): void;
  /** The daemon ends; it may take up to `patience` milliseconds. */
  stopping(patience: number): Promise<void>;
  /** Says from now on, if the unit wants to know, that the event loop turns. */
  watch(): void;
  /** Sends nothing more; resolves when everything is sent. */
  close(): Promise<void>;
}

export interface NotifierOptions {
  /** `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are removed from it, because children must not use them. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  /** @default "systemd-notify" */
  readonly program?: string;
}

/** Milliseconds that one message may take; systemd answers at once or not at all. */
const DEADLINE = 10_000;

export function createNotifier(options: NotifierOptions): Notifier {
  const { environment } = options;
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete environment[name];
  if (!socket) return silent;
  const isMeant = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === process.pid;
  const microseconds = isMeant ? Number(WATCHDOG_USEC ?? 0) : 0;
  return new SystemdNotifier(socket, microseconds / 1000, options);
}

const nothing = async (): Promise<void> => undefined;
const silent: Notifier = {
  ready: nothing,
  reloading: nothing,
  status: () => undefined,
  stopping: nothing,
  watch: () => undefined,
  close: nothing,
};

class SystemdNotifier implements Notifier {
  readonly #socket: string;
  readonly #watchdog: number;
  readonly #options: NotifierOptions;
  #sent: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #complained = false;
  #status = "";
  #isStatusDue = false;

  constructor(socket: string, watchdog: number, options: NotifierOptions) {
    this.#socket = socket;
    this.#watchdog = watchdog;
    this.#options = options;
  }

  ready(status: string): Promise<void> {
    this.#status = oneLine(status);
    return this.#send("READY=1", `STATUS=${this.#status}`);
  }

  status(line: string): void {
    const status = oneLine(line);
    if (status === this.#status) return;
    this.#status = status;
    if (this.#isStatusDue) return;
    this.#isStatusDue = true;
    this.#sent = this.#sent.then(() => {
      this.#isStatusDue = false;
      return this.#run([`STATUS=${this.#status}`]);
    });
  }

  /** systemd pairs the message with its signal by the time. */
  reloading(): Promise<void> {
    return this.#send("RELOADING=1", `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
  }

  stopping(patience: number): Promise<void> {
    const extension = Math.ceil(patience * 1000);
    return this.#send("STOPPING=1", `EXTEND_TIMEOUT_USEC=${extension}`, "STATUS=stopping");
  }

  watch(): void {
    if (!(this.#watchdog > 0)) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#send("WATCHDOG=1"), this.#watchdog / 2);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sent;
  }

  /** In order: what is said later must arrive later. */
  #send(...assignments: readonly string[]): Promise<void> {
    this.#sent = this.#sent.then(() => this.#run(assignments));
    return this.#sent;
  }

  /**
   * The program stays until systemd has read the message (it does so unless told `--no-block`): a sender that is gone
   * by then cannot be identified.
   */
  #run(assignments: readonly string[]): Promise<void> {
    const { program = "systemd-notify", environment, log } = this.#options;
    const env = { PATH: environment.PATH ?? "/usr/bin:/bin", NOTIFY_SOCKET: this.#socket };
    return new Promise((resolve) => {
      execFile(program, assignments, { env, timeout: DEADLINE }, (error) => {
        if (error !== null && !this.#complained) {
          this.#complained = true;
          log.warn("systemd cannot be told how the daemon is", { reason: errorMessage(error) });
        }
        resolve();
      });
    });
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
