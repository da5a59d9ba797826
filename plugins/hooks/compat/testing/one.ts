/** One hook of a file and one request, for tests that are about a decision. */
import { decideFile, type FileDecision, refusedMethod } from "../decide.js";
import { readHooks } from "../file/read.js";
import type { FileHook } from "../hook.js";
import type { ReceivedRequest } from "../request/file-request.js";

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly query?: string;
  readonly from?: string;
}

function hookWith(fields: object): FileHook {
  const text = JSON.stringify([{ id: "x", "execute-command": "/bin/echo", ...fields }]);
  const reading = readHooks(text, { strict: false });
  if (!reading.ok) throw new Error(reading.complaints[0].message);
  return reading.hooks[0] as FileHook;
}

function arrived({
  method = "POST",
  headers = {},
  body = "",
  query = "",
  from,
}: Sent): ReceivedRequest {
  return {
    method,
    query,
    rawHeaders: Object.entries({ "content-type": "application/json", ...headers }).flat(),
    remoteAddress: from ?? "192.0.2.7:4711",
    body: Buffer.from(body),
  };
}

export interface Decided {
  readonly decision: FileDecision;
  readonly notes: readonly string[];
}

export function decided(fields: object, sent: Sent, strict = false, now = 0): Decided {
  const notes: string[] = [];
  const hook = hookWith(fields);
  const context = { strict, now, methods: [], note: (line: string) => notes.push(line) };
  const decision =
    refusedMethod(hook, sent.method ?? "POST", context) ?? decideFile(hook, arrived(sent), context);
  if (decision.kind === "run") notes.push(...decision.command.notes.map(([line]) => line));
  return { decision, notes };
}

/** `run`, or the status of the refusal. */
export function outcome(fields: object, sent: Sent, strict = false, now = 0): "run" | number {
  const { decision } = decided(fields, sent, strict, now);
  return decision.kind === "run" ? "run" : decision.status;
}
