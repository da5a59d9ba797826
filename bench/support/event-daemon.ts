/** A simulated daemon that sends events, in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DAEMON = fileURLToPath(new URL("../tui/daemon.js", import.meta.url));

export async function startEventDaemon(perSecond: number) {
  const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const socket = join(directory, "c.sock");
  const child = fork(DAEMON, [socket, String(perSecond)]);
  await once(child, "message");
  const close = async (): Promise<void> => {
    const over = once(child, "exit");
    child.kill("SIGKILL");
    await over;
    rmSync(directory, { recursive: true });
  };
  return { socket, pid: String(child.pid), close };
}
