/** The sandbox service for other plugins: runs a command from start to end. */
import type { SandboxRequest, SandboxResult } from "reeve/plugin";
import type { ExecResult } from "./exec-request.js";
import type { FirewallInstance } from "./instance.js";
import { notStarted, type SandboxRuntime, type StartedCommand } from "./sandbox-runtime.js";

type OnOutput = (stream: "stdout" | "stderr", data: Uint8Array) => void;

export const sandboxService = (instance: FirewallInstance) => ({
  async run(
    request: SandboxRequest,
    onOutput?: OnOutput,
    signal?: AbortSignal,
  ): Promise<SandboxResult> {
    const sandbox = instance.sandbox(request.sandbox);
    return sandbox.use(() => runIn(sandbox, request, onOutput, signal));
  },
});

async function runIn(
  sandbox: SandboxRuntime,
  { argv, env, cwd, timeout, label, outputLimit, stdin }: SandboxRequest,
  onOutput: OnOutput | undefined,
  signal: AbortSignal | undefined,
): Promise<SandboxResult> {
  const output = new SandboxOutput(outputLimit);
  if (signal?.aborted) return resultOf(cancelled, output);
  let started: StartedCommand;
  try {
    started = await sandbox.start({ argv, env, cwd, timeout, label, merged: true });
  } catch (thrown) {
    return resultOf(notStarted(thrown), output);
  }
  const { command, ended } = started;
  const cancel = () => command.end("cancelled");
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  command.stdin.end(stdin ?? "");
  command.stderr.resume();
  command.stdout.on("data", (data: Buffer) => {
    command.keepStartOutput(data);
    output.push(data);
    onOutput?.("stdout", data);
  });
  const end = await ended;
  signal?.removeEventListener("abort", cancel);
  const refused = [...command.refused].map(([domain, reason]) => ({ domain, reason }));
  return resultOf(end, output, refused);
}

const cancelled: ExecResult = {
  ...{ outcome: "cancelled", exitCode: undefined, signal: undefined },
  ...{ error: undefined, duration: 0 },
};

function resultOf(
  ended: ExecResult,
  output: SandboxOutput,
  refused: SandboxResult["refused"] = [],
): SandboxResult {
  const { bytes, omitted } = output.kept;
  return { ...ended, stdout: bytes, stderr: new Uint8Array(), omitted, refused };
}

export class SandboxOutput {
  readonly #limit: number;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #all = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(data: Buffer): void {
    this.#all += data.length;
    const half = Math.ceil(this.#limit / 2);
    const first = data.subarray(0, Math.max(0, half - this.#headBytes));
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    const rest = data.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#limit) this.#shrink();
  }

  get kept(): { readonly bytes: Buffer; readonly omitted: number } {
    this.#shrink();
    const bytes = Buffer.concat([...this.#head, ...this.#tail]);
    return { bytes, omitted: this.#all - bytes.length };
  }

  #shrink(): void {
    const room = this.#limit - Math.min(this.#headBytes, this.#limit);
    const tail = Buffer.concat(this.#tail);
    const last = Buffer.from(tail.subarray(Math.max(0, tail.length - room)));
    this.#tail = [last];
    this.#tailBytes = last.length;
  }
}
