import { join } from "node:path";
import { PassThrough } from "node:stream";
import test from "ava";
import { temporaryDirectory } from "../http/testing/temporary.js";
import { CleanupStack } from "../services/cleanup-stack.js";
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
  await stack.unwind();
});
