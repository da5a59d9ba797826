/** The existing server (`apt-get install webhook`), for tests that need it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { program } from "../../../../tests/support/needs.js";
import { ask, folder, until } from "./running.js";

const PEER = "/usr/bin/webhook";
/** What a test with the existing server needs. */
export const peerProgram = program(PEER, "webhook");

export interface Peer {
  readonly port: number;
  /** Everything on standard error so far. */
  readonly log: string;
}

export async function existing(
  t: ExecutionContext,
  hooks: object,
  flags: readonly string[] = [],
): Promise<Peer> {
  const { stdout } = spawnSync(PEER, ["-version"], { encoding: "utf8" });
  t.regex(stdout, /^webhook version 2\./, "the existing server has another version");
  const directory = await folder(t);
  await writeFile(join(directory, "hooks.json"), JSON.stringify(hooks));
  const port = await freePort();
  const args = ["-hooks", "hooks.json", "-ip", "127.0.0.1", "-port", String(port), ...flags];
  const child = spawn(PEER, args, { cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const end = once(child, "close");
  t.teardown(async () => {
    child.kill("SIGTERM");
    await end;
  });
  let up = false;
  await until(() => {
    if (child.exitCode !== null) throw new Error("the existing server does not start");
    void ask({ host: "127.0.0.1", port }, "/", {}).then(
      () => (up = true),
      () => undefined,
    );
    return up;
  });
  return {
    port,
    get log() {
      return log;
    },
  };
}

/** The existing server cannot be asked for any free port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
