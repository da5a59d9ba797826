/**
 * What a plugin that fences commands in offers others, under the name `sandbox`:
 * `context.services.use<SandboxService>("sandbox")`. Everything that crosses is plain data.
 */
import type { ProcessResult } from "./processes.js";

export interface SandboxService {
  /**
   * Runs a command in the sandbox of that name and resolves when nothing of it is left. `onOutput` gets what it prints,
   * as it comes; an abort of `signal` ends the command, with the outcome `cancelled`.
   * @throws ReeveError where there is no such sandbox; a command that cannot start is an outcome.
   */
  run(
    request: SandboxRequest,
    onOutput?: (stream: "stdout" | "stderr", data: Uint8Array) => void,
    signal?: AbortSignal,
  ): Promise<SandboxResult>;
}

export interface SandboxRequest {
  /** The label of the `sandbox` block. */
  readonly sandbox: string;
  /** Program and arguments; never a shell. */
  readonly argv: readonly string[];
  /** The whole environment of the command, beside what the sandbox itself sets. Secrets are revealed by the caller. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. @default the configuration's directory */
  readonly cwd?: string;
  /** @default nothing: /dev/null */
  readonly stdin?: Uint8Array;
  /** Milliseconds until it is ended. @default the sandbox's own */
  readonly timeout?: number;
  /** Bytes kept of stdout and stderr together. More is counted and dropped from the middle. */
  readonly outputLimit: number;
  /** The purpose of the run in a few words, for logs and events: `hook.deploy 06fa…`. */
  readonly label: string;
}

export interface SandboxResult extends ProcessResult {
  /** Denied requests: each name or address once, the first ten, with a short reason. */
  readonly refused: readonly { readonly domain: string; readonly reason: string }[];
}
