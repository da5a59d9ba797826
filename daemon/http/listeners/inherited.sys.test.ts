import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import { temporaryDirectory } from "../testing/temporary.js";
import { inheritedSockets } from "./inherited.js";

const program = fileURLToPath(new URL("../testing/inheriting.js", import.meta.url));

async function listening(
  t: ExecutionContext,
  on: { port: number; host: string } | { path: string },
) {
  const server = createServer().listen(on);
  await once(server, "listening");
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return server;
}

/** Starts the daemon with the sockets, which this process keeps holding as systemd does. */
function start(t: ExecutionContext, sockets: readonly Server[], listens: readonly string[]) {
  return child(t, process.execPath, [program, ...listens], {
    env: { ...process.env, LISTEN_FDS: String(sockets.length) },
    // The ipc channel comes last: descriptors from 3 on are the sockets.
    stdio: ["ignore", "pipe", "pipe", ...sockets.map(descriptorOf), "ipc"],
  });
}

/** A server's descriptor is not public; a child must be given it by number. */
function descriptorOf(server: Server): number {
  const { _handle } = server as Server & { readonly _handle?: { readonly fd: number } };
  return _handle?.fd ?? -1;
}

test("sockets that systemd hands over are claimed by their addresses, whatever their order", async (t) => {
  const path = join(await temporaryDirectory(t), "x.sock");
  const unix = await listening(t, { path });
  const tcp = await listening(t, { port: 0, host: "127.0.0.1" });
  const bound = tcp.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const addresses = [`127.0.0.1:${port}`, `unix:${path}`];
  const [line] = await start(t, [unix, tcp], addresses).says(/^.+$/m);
  t.deepEqual(
    JSON.parse(line),
    addresses.map((address) => ({ address, prefixes: ["/"] })),
  );
});

test("a socket of systemd's is kept when nobody claims it any more", async (t) => {
  const tcp = await listening(t, { port: 0, host: "127.0.0.1" });
  const bound = tcp.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const started = start(t, [tcp], [`127.0.0.1:${port}`]);
  await started.says(/^.+$/m);
  const message = once(started.process, "message");
  started.process.send("release");
  const [list] = await message;
  t.deepEqual(list, [{ address: `127.0.0.1:${port}`, prefixes: [] }]);
});

test("sockets meant for another process are not touched, and the variables go away", async (t) => {
  const environment = { LISTEN_PID: "1", LISTEN_FDS: "1", LISTEN_FDNAMES: "x", PATH: "/bin" };
  t.is((await inheritedSockets(environment)).size, 0);
  t.deepEqual(Object.keys(environment), ["PATH"]);
});
