/** Memory of awf itself: for a run, and for idle tunnels. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestInternet } from "../../plugins/firewall/testing/test-internet.js";
import { residentMemory } from "../support/daemon.js";
import type { Row } from "../support/table.js";

const tunnels = 1000;

/** Opens tunnels with TLS in them and leaves them idle; says when it begins and when all are open. */
const client = `
import socket, ssl, sys
context = ssl._create_unverified_context()
def tunnel():
    raw = socket.create_connection(("127.0.0.1", 3128))
    raw.sendall(b"CONNECT allowed.test:443 HTTP/1.1\\r\\nHost: allowed.test:443\\r\\n\\r\\n")
    raw.recv(4096)
    return context.wrap_socket(raw, server_hostname="allowed.test")
kept = [tunnel() for _ in range(50)]
print("begin", flush=True); sys.stdin.readline()
kept += [tunnel() for _ in range(${tunnels})]
print("open", flush=True); sys.stdin.readline()
`;

export async function memoryOf(world: TestInternet, awf: readonly string[]): Promise<Row[]> {
  const script = join(world.workspace, "tunnels.py");
  writeFileSync(script, client);
  const words = [...awf, "--allow-domains", "allowed.test", "--", "/usr/bin/python3", script];
  const { child, result } = world.start(process.execPath, words, { stdin: "open" });
  const said = async (word: string) => {
    for (let text = ""; !text.includes(word); ) {
      const [more] = await once(child.stdout as NodeJS.ReadableStream, "data");
      text += String(more);
    }
    return residentMemory(child.pid ?? 0);
  };
  const before = await said("begin");
  child.stdin?.write("\n");
  const after = await said("open");
  child.stdin?.end("\n");
  await result;
  return [
    {
      what: "memory of awf besides the command",
      result: `${before.toFixed(0)} MiB`,
      bar: "≤ 110 MiB",
    },
    {
      what: `each of ${tunnels} idle tunnels`,
      result: `${(((after - before) * 1024) / tunnels).toFixed(0)} KiB`,
      bar: "≤ 30 KiB",
    },
  ];
}
