/** One request: the hook it is for, whether it may, what it runs, what it is told. */
import type { IncomingMessage } from "node:http";
import { type FileResponse, fileResponse } from "../../plugins/hooks/compat/answer.js";
import {
  decideFile,
  type FileContext,
  type FileDecision,
  refusedMethod,
} from "../../plugins/hooks/compat/decide.js";
import type { FileHook } from "../../plugins/hooks/compat/hook.js";
import type { RequestLog } from "./log.js";
import type { Runner } from "./run.js";

export interface Handling {
  readonly strict: boolean;
  /** For hooks that name none; empty for all. */
  readonly methods: readonly string[];
  /** Of every answer. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly runner: Runner;
}

export interface HandledRequest extends FileResponse {
  /** Once the answer has been sent, for hooks nobody waits for. */
  readonly after?: () => void;
}

export const plain = (status: number, body = ""): FileResponse => ({ status, headers: [], body });

/** `read` gives the whole body, or what kept it from arriving. */
export async function handleHook(
  hook: FileHook,
  request: IncomingMessage,
  query: string,
  read: () => Promise<Uint8Array | FileResponse>,
  log: RequestLog,
  handling: Handling,
): Promise<HandledRequest> {
  log.say(`${hook.id} got matched`);
  const context: FileContext = {
    strict: handling.strict,
    methods: handling.methods,
    now: Date.now(),
    note: log.say,
  };
  const refused = refusedMethod(hook, request.method ?? "", context);
  if (refused) return refusal(refused);
  const body = await read();
  if (!(body instanceof Uint8Array)) return body;
  const arrived = {
    method: request.method ?? "",
    query,
    rawHeaders: request.rawHeaders,
    remoteAddress: remoteAddress(request),
    body,
  };
  const decision = decideFile(hook, arrived, context);
  if (decision.kind === "refuse") return refusal(decision, handling.headers);
  return run(hook, decision, log, handling);
}

function refusal(decision: FileDecision, headers: Handling["headers"] = []): FileResponse {
  if (decision.kind === "run") return plain(500);
  const own = Object.entries(decision.headers ?? {});
  return { status: decision.status, headers: [...headers, ...own], body: decision.message };
}

async function run(
  hook: FileHook,
  { command }: Extract<FileDecision, { kind: "run" }>,
  log: RequestLog,
  { runner, headers }: Handling,
): Promise<HandledRequest> {
  const crowded = {
    ...plain(503, "Too many requests are waiting."),
    headers: [["retry-after", "10"]] as const,
  };
  if (hook.includeOutput) {
    const running = runner.start(hook, command, log);
    if (!running) return crowded;
    const answer = fileResponse(hook, await running, log.say);
    return { ...answer, headers: [...headers, ...answer.headers] };
  }
  if (runner.isFull) return crowded;
  const answer = fileResponse(hook, undefined, log.say);
  return {
    ...answer,
    headers: [...headers, ...answer.headers],
    after: () =>
      void runner
        .start(hook, command, log)
        ?.catch((thrown: unknown) => log.complain(String(thrown))),
  };
}

/** As the sources say it: `192.0.2.7:4711`, `@` on a unix socket. */
export function remoteAddress({ socket }: IncomingMessage): string {
  const { remoteAddress: address, remotePort } = socket;
  if (address === undefined) return "@";
  const shown = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return shown.includes(":") ? `[${shown}]:${remotePort}` : `${shown}:${remotePort}`;
}
