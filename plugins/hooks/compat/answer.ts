/** Responses of hooks of files. */
import { statusOr, TEXTS } from "./decide.js";
import type { FileHook } from "./hook.js";
import type { WriteNote } from "./request/file-request.js";

export interface FileResponse {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: string | Uint8Array;
}

export interface CommandResult {
  readonly succeeded: boolean;
  readonly output: Uint8Array;
}

/** `end`: absent for hooks that do not wait for their command. */
export function fileResponse(
  hook: FileHook,
  end: CommandResult | undefined,
  note: WriteNote,
): FileResponse {
  const headers = hook.headers.map(({ name, value }) => [name, value] as const);
  if (end && !end.succeeded) {
    const body = hook.includeOutputOnError ? end.output : TEXTS.failed;
    return { status: 500, headers, body };
  }
  const status = statusOr(hook.successStatus, 200, hook, note);
  return { status, headers, body: end ? end.output : hook.message };
}
