/** What senders are told about commands. */
import { statusOr, words } from "./decide.js";
import type { FileHook } from "./hook.js";
import type { Note } from "./request/request.js";

export interface FileAnswer {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: string | Uint8Array;
}

export interface CommandEnd {
  readonly succeeded: boolean;
  readonly output: Uint8Array;
}

/** For hooks that do not wait, and for what a waiting one has to say. `end`: absent where nobody waits. */
export function answerOf(hook: FileHook, end: CommandEnd | undefined, note: Note): FileAnswer {
  const headers = hook.headers.map(({ name, value }) => [name, value] as const);
  if (end && !end.succeeded) {
    const body = hook.includeOutputOnError ? end.output : words.failed;
    return { status: 500, headers, body };
  }
  const status = statusOr(hook.successStatus, 200, hook, note);
  return { status, headers, body: end ? end.output : hook.message };
}
