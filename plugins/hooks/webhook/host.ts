/** The parts of the daemon that the command stands on; `cli/webhook.ts` brings them. */
import type { Files, Processes } from "reeve/plugin";

export interface WebhookHost {
  readonly version: string;
  /** `temporary`: a private directory. Commands that still run are killed when `signal` aborts. */
  openProcesses(temporary: string, signal: AbortSignal): ClosableProcesses;
  openFiles(): Files & { close(): Promise<void> };
  createMask(): TextMask;
  /** Whether a header, parameter or variable of that name holds a secret. */
  looksSecret(name: string): boolean;
}

export interface ClosableProcesses extends Processes {
  /** Resolves when no command is left. */
  close(): Promise<void>;
}

/** Replaces the texts it knows. */
export interface TextMask {
  add(secret: string): void;
  text(text: string): string;
}

/** Why the server does not start, in one sentence. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
