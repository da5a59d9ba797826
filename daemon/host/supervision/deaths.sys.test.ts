/** A plugin that takes the daemon with it, in real processes that really die. */
import { fileURLToPath } from "node:url";
import test from "ava";
import { runSync } from "../../../tests/support/child.js";
import { writeTree } from "../../catalog/testing/tree.js";
import { startDaemon, waitFor } from "../testing/daemon.js";
import { PROBE } from "../testing/probe.js";
import { recorded } from "../testing/recorded.js";

const DOOMED = fileURLToPath(new URL("../testing/doomed.js", import.meta.url));
const LEAVING = fileURLToPath(new URL("../testing/leaving.js", import.meta.url));
const TEXT = 'poison "a" {}\nnote "b" {}';

const dies = (folder: string, text = TEXT) =>
  runSync(process.execPath, [DOOMED, folder, text]).signal;

test.serial(
  "a plugin that kills the daemon twice in a row is left out the third time",
  async (t) => {
    const folder = writeTree(t, {});
    t.is(dies(folder), "SIGKILL");
    t.is(dies(folder), "SIGKILL");
    const poison = recorded("poison");
    const daemon = await startDaemon(t, {
      folder,
      builtins: [poison.plugin, recorded("notes").plugin],
    });
    const { committed, complaints } = await daemon.apply(TEXT);
    t.true(committed);
    t.deepEqual(complaints, [
      "W651 the plugin `poison` is in quarantine, so this does not take effect",
    ]);
    t.deepEqual(poison.calls, []);
    t.like(daemon.status("poison"), {
      state: "quarantined",
      failure: { reason: "The daemon died 2 times in a row while it was being started." },
    });
    t.is(daemon.status("notes")?.state, "running");
    await daemon.host.release("poison");
    t.is(daemon.status("poison")?.state, "running");
  },
);

test.serial("one death is nobody's fault: everything starts again", async (t) => {
  const folder = writeTree(t, {});
  t.is(dies(folder), "SIGKILL");
  const builtins = [recorded("poison").plugin, recorded("notes").plugin];
  const daemon = await startDaemon(t, { folder, builtins });
  t.true((await daemon.apply(TEXT)).committed);
  t.is(daemon.status("poison")?.state, "running");
  await daemon.close();
  t.is(dies(folder), "SIGKILL");
  const next = await startDaemon(t, { folder, builtins });
  await next.apply(TEXT);
  t.is(next.status("poison")?.state, "running", "deaths that are not in a row do not add up");
});

test.serial("who was merely there when the daemon died is not blamed", async (t) => {
  const folder = writeTree(t, {});
  for (let death = 0; death < 2; death += 1) t.is(dies(folder), "SIGKILL");
  t.is(dies(folder, 'note "b" {}'), null);
  const notes = recorded("notes");
  const daemon = await startDaemon(t, {
    folder,
    builtins: [recorded("poison").plugin, notes.plugin],
  });
  await daemon.apply(TEXT);
  t.is(daemon.status("notes")?.state, "running");
});

test.serial("a process that hangs is not left over by a daemon that was killed", async (t) => {
  const folder = writeTree(t, { "probe.js": PROBE });
  const { stdout } = runSync(process.execPath, [LEAVING, folder]);
  const pid = Number(/left (\d+)/.exec(stdout)?.[1]);
  t.true(isAlive(pid));
  t.teardown(() => isAlive(pid) && process.kill(pid, "SIGKILL"));
  const daemon = await startDaemon(t, { folder });
  await daemon.apply("");
  await waitFor(() => !isAlive(pid), "the process to be gone");
  t.false(isAlive(pid));
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
