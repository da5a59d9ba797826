/** A disk that refuses the journal, as a load balancer sees it. */
import { renameSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import test, { type ExecutionContext } from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { ask } from "../http/testing/client.js";
import { temporaryDirectory } from "../http/testing/temporary.js";
import { CleanupStack } from "../services/cleanup-stack.js";
import { type JournalFiles, journalFilesIn } from "../services/runs/journal/files.js";
import { compose } from "./compose.js";
import { DaemonToken } from "./tokens.js";

/** A daemon in this process whose journal's disk refuses what `refuses` says. */
async function composed(t: ExecutionContext, refuses: () => string | undefined) {
  const directory = await temporaryDirectory(t);
  const state = join(directory, "state");
  const root = join(directory, "main.reeve");
  const control = join(directory, "control.sock");
  await writeFile(root, "");
  const stack = new CleanupStack();
  const journalFiles = (path: string): JournalFiles => {
    const files = journalFilesIn(path);
    const open: JournalFiles["open"] = (name) => {
      const file = files.open(name);
      const sync = async (): Promise<void> => {
        const code = refuses();
        if (code !== undefined) throw Object.assign(new Error(code), { code });
        await file.sync();
      };
      return { ...file, sync };
    };
    return { ...files, open };
  };
  const container = await compose(
    {
      services: {
        directories: { state, cache: join(state, "cache"), temporary: join(state, "temporary") },
        ...{ logLevel: "info", logFormat: "json", logStream: new PassThrough().resume() },
        journalFiles,
      },
      identity: { version: "0", startedAt: 0, stateDirectory: state, root, control },
      ...{ shared: false, environment: {}, draining: () => false, fixedLogLevel: false },
      cut: AbortSignal.abort(),
    },
    stack,
  );
  t.teardown(() => stack.unwind());
  await container.resolve(DaemonToken.control).open();
  await container.resolve(DaemonToken.reloader).start();
  const runs = container.resolve(DaemonToken.kit).runs.scoped("sample", () => 1);
  return {
    state,
    accept: () => runs.start({ kind: "hook", subject: "hook.a", durability: "disk" }),
    readyz: async () => {
      const { status, body } = await ask(`unix:${control}`, "/readyz");
      return { status, reasons: (JSON.parse(body) as { reasons: string[] }).reasons };
    },
  };
}

for (const code of ["EIO", "ENOSPC"]) {
  test(`a sync that fails with ${code} makes the daemon not ready at once, until one works, without a request`, async (t) => {
    let refused: string | undefined;
    const daemon = await composed(t, () => refused);
    await daemon.accept();
    t.deepEqual(await daemon.readyz(), { status: 200, reasons: [] });
    refused = code;
    await t.throwsAsync(daemon.accept());
    const { status, reasons } = await daemon.readyz();
    t.is(status, 503);
    t.is(reasons.length, 1);
    t.regex(
      reasons[0] ?? "",
      new RegExp(`^The disk of the state directory /.* does not keep .*\\(${code}\\)`),
    );
    refused = undefined;
    await eventually("it to be ready", async () => (await daemon.readyz()).status === 200);
    await daemon.accept();
  });
}

test("where the state directory is moved away, nothing more is accepted at once, until it is back", async (t) => {
  const daemon = await composed(t, () => undefined);
  await daemon.accept();
  renameSync(daemon.state, `${daemon.state}.moved`);
  await t.throwsAsync(daemon.accept(), {
    code: "store_unwritable",
    message: `The state directory ${daemon.state} was removed or replaced: what is accepted now would be lost.`,
  });
  const { status, reasons } = await daemon.readyz();
  t.is(status, 503);
  t.true(reasons.some((reason) => /was removed or replaced/.test(reason)));
  renameSync(`${daemon.state}.moved`, daemon.state);
  await eventually("it to be ready", async () => (await daemon.readyz()).status === 200);
  await daemon.accept();
});
