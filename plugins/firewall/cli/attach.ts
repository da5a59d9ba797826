/** A command in a sandbox of the daemon, attended from here: input, outputs and signals go through. */

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { type Control, ControlError, Exit, Failure } from "reeve/cli";
import { type RunEvent, RunFrameReader } from "../offline.js";

export interface RunStreams {
  readonly control: Control;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Where signals to this process are heard: `process`. */
  readonly signals: NodeJS.EventEmitter;
}

type EndedEvent = Extract<RunEvent, { event: "ended" }>;

/** Bytes of input in one message. */
const pieceBytes = 192 * 1024;
const passed: readonly NodeJS.Signals[] = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
];

/** To the end of the command. @throws Failure when the daemon goes away meanwhile */
export async function attachRun(
  answer: IncomingMessage,
  attendance: RunStreams,
): Promise<EndedEvent> {
  const { control, stdin, signals } = attendance;
  const frames = new RunFrameReader();
  const accepted = Promise.withResolvers<string>();
  const listeners = passed.map((signal) => {
    const listener = () =>
      void accepted.promise.then((id) => quietly(control.post(`/runs/${id}/signal`, { signal })));
    signals.on(signal, listener);
    return () => signals.off(signal, listener);
  });
  let ended: EndedEvent | undefined;
  try {
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      for (const { kind, data } of frames.push(bytes)) {
        if (kind !== "event") {
          if (!attendance[kind].write(data)) await once(attendance[kind], "drain");
          continue;
        }
        const event = JSON.parse(data.toString("utf8")) as RunEvent;
        if (event.event === "ended") ended = event;
        if (event.event !== "accepted") continue;
        accepted.resolve(event.command);
        void feed(control, event.command, stdin);
      }
    }
  } catch (thrown) {
    if (!ended) throw lost(thrown);
  } finally {
    for (const off of listeners) off();
    stdin.destroy();
  }
  if (!ended) throw lost();
  return ended;
}

/** The command's own code; that of the shell where a signal ended it, and of `timeout` where its time was over. */
export function exitCodeOf({ outcome, exitCode, signal }: EndedEvent): number {
  if (outcome === "timed_out") return 124;
  if (signal !== undefined) return 128 + constants.signals[signal as NodeJS.Signals];
  return exitCode ?? (outcome === "cancelled" ? 143 : Exit.unavailable);
}

/** One piece after the other, so that what the command does not read is not sent. */
async function feed(control: Control, id: string, stdin: Readable): Promise<void> {
  const path = `/runs/${id}/stdin`;
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      for (let from = 0; from < chunk.length; from += pieceBytes) {
        const data = chunk.subarray(from, from + pieceBytes).toString("base64");
        await control.post(path, { data });
      }
    }
    await control.post(path, { end: true });
  } catch (thrown) {
    // The command has ended, or this side has stopped reading; the caller reports it.
    if (!(thrown instanceof Failure) && !isAborted(thrown)) throw thrown;
  }
}

async function quietly(request: Promise<unknown>): Promise<void> {
  await request.catch((thrown: unknown) => {
    if (!(thrown instanceof ControlError)) throw thrown;
  });
}

const isAborted = (thrown: unknown): boolean => {
  const { code = "", name = "" } = thrown as NodeJS.ErrnoException;
  return name === "AbortError" || /^(ERR_STREAM|ABORT|ECONNRESET|EIO)/.test(code);
};

const lost = (cause?: unknown): Failure =>
  new Failure(Exit.unavailable, "the daemon went away before the command had ended", {
    help: "The command was ended with it.",
    cause,
  });
