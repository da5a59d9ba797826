/** The existing server (`apt-get install webhook`), for tests that need it. */
import { once } from "node:events";
import { createServer } from "node:net";
import type { ExecutionContext } from "ava";
import { child, output } from "../../../../tests/support/child.js";
import { folder } from "../../../../tests/support/folder.js";
import { program } from "../../../../tests/support/needs.js";

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
  const version = output(PEER, ["-version"]);
  t.regex(version, /^webhook version 2\./, "the existing server has another version");
  const directory = folder(t, { "hooks.json": JSON.stringify(hooks) });
  for (;;) {
    const port = await freePort();
    const args = ["-hooks", "hooks.json", "-ip", "127.0.0.1", "-port", String(port), "-verbose"];
    const server = child(t, PEER, [...args, ...flags], { cwd: directory });
    const [said] = await server.says(/serving hooks on|address already in use/);
    // Another process was quicker.
    if (said === "address already in use") continue;
    return {
      port,
      get log() {
        return server.stderr;
      },
    };
  }
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
