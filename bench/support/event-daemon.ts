/** A simulated daemon that sends events, in a process of its own. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { child, endWithSignals } from "../../tests/support/child.js";
import { within } from "../../tests/support/eventually.js";

const DAEMON = fileURLToPath(new URL("../tui/daemon.js", import.meta.url));

export async function startEventDaemon(perSecond: number) {
  const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const socket = join(directory, "c.sock");
  endWithSignals();
  const ends: Array<() => unknown> = [];
  const close = async (): Promise<void> => {
    for (const end of ends) await end();
    rmSync(directory, { recursive: true });
  };
  const words = [DAEMON, socket, String(perSecond)];
  const daemon = child({ teardown: (end) => ends.push(end) }, process.execPath, words, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await within("the simulated daemon", once(daemon.process, "message")).catch(async (error) => {
    await close();
    throw error;
  });
  return { socket, pid: String(daemon.pid), close };
}
