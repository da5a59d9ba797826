/** Connections of real processes to a real server. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import test, { type ExecutionContext } from "ava";
import { type Child, child } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";
import { Attribution } from "./attribution.js";

/** Opens as many connections as each line of its input says, and keeps them. */
const client = `
import socket, sys
kept = []
for line in sys.stdin:
    for _ in range(int(line)): kept.append(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
`;

interface Clients {
  readonly server: Server;
  /** Makes a client connect, and resolves with its connections. */
  connect(client: Child, count: number): Promise<readonly Socket[]>;
  start(): Child;
}

async function clients(t: ExecutionContext): Promise<Clients> {
  const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const accepted: Socket[] = [];
  server.on("connection", (socket) => accepted.push(socket.on("error", () => {})));
  t.teardown(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  return {
    server,
    start: () =>
      child(t, "/usr/bin/python3", ["-c", client, String(port)], {
        stdio: ["pipe", "ignore", "inherit"],
      }),
    async connect({ process: { stdin } }, count) {
      const before = accepted.length;
      stdin?.write(`${count}\n`);
      await eventually("the connections", () => accepted.length >= before + count);
      return accepted.slice(before);
    },
  };
}

const ownersOf = (attribution: Attribution, sockets: readonly Socket[]) =>
  sockets.map(({ remotePort = 0 }) => attribution.ownerOf(remotePort)?.pid);

test("each of many connections of one process is its own", async (t) => {
  const { connect, start } = await clients(t);
  const one = start();
  const attribution = new Attribution(process.pid, () => [one.pid]);
  for (const count of [150, 150, 1, 300, 1]) {
    const owners = ownersOf(attribution, await connect(one, count));
    t.deepEqual(new Set(owners), new Set([one.pid]), String(count));
  }
});

test("a process with one connection is found beside one with many", async (t) => {
  const { connect, start } = await clients(t);
  const [many, few] = [start(), start()];
  const attribution = new Attribution(process.pid, () => [many.pid, few.pid]);
  ownersOf(attribution, await connect(many, 400));
  for (let round = 0; round < 3; round += 1) {
    const fromFew = ownersOf(attribution, await connect(few, 1));
    t.deepEqual(fromFew, [few.pid]);
    const fromMany = ownersOf(attribution, await connect(many, 1));
    t.deepEqual(fromMany, [many.pid]);
  }
});
