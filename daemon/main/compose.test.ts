import { join } from "node:path";
import { PassThrough } from "node:stream";
import test from "ava";
import { temporaryDirectory } from "../http/testing/temporary.js";
import { CleanupStack } from "./cleanup-stack.js";
import { compose } from "./compose.js";
import { DaemonToken } from "./tokens.js";

test("every part of a daemon is there, and all of them end", async (t) => {
  const directory = await temporaryDirectory(t);
  const state = join(directory, "state");
  const stack = new CleanupStack();
  const logStream = new PassThrough().resume();
  const container = await compose(
    {
      services: {
        directories: { state, cache: join(state, "cache"), temporary: join(state, "temporary") },
        ...{ logLevel: "info", logFormat: "json", logStream },
      },
      identity: {
        ...{ version: "0", startedAt: 0, stateDirectory: state },
        root: join(directory, "main.reeve"),
        control: join(directory, "control.sock"),
      },
      ...{ shared: false, environment: {}, draining: () => false, fixedLogLevel: false },
      cut: AbortSignal.abort(),
    },
    stack,
  );
  t.deepEqual(
    Object.entries(DaemonToken)
      .filter(
        ([, token]) =>
          !container.isRegistered(token as symbol) || !container.resolve(token as symbol),
      )
      .map(([name]) => name),
    [],
  );
  await stack.unwind(undefined);
});

test("what was made last ends first, and one part's trouble is not the others'", async (t) => {
  const ended: string[] = [];
  const stack = new CleanupStack();
  stack.defer("first", async () => void ended.push("first"));
  stack.defer("second", () => Promise.reject(new Error("trouble")));
  stack.defer("third", async () => void ended.push("third"));
  await stack.unwind(undefined);
  await stack.unwind(undefined);
  t.deepEqual(ended, ["third", "first"]);
});
