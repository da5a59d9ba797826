/**
 * A daemon as systemd starts it: with listening sockets from descriptor 3 on. `LISTEN_PID` can only be known here.
 * Claims every address given as an argument and prints, as JSON, what it listens on.
 */
import type { Route } from "../contract.js";
import { createListeners } from "../listeners/listeners.js";
import { KeptLog } from "./kept-log.js";

const environment = { ...process.env, LISTEN_PID: String(process.pid) };
const listeners = await createListeners({ log: new KeptLog(), environment });
const routes: Route[] = [];
for (const listen of process.argv.slice(2)) {
  const route = await listeners.claim(
    { listen, prefix: "/", requestTimeout: 1000, owner: "test" },
    (_request, response) => void response.end(`from ${process.pid}`),
  );
  route.activate();
  routes.push(route);
}
process.stdout.write(`${JSON.stringify(listeners.list())}\n`);
process.on("message", async () => {
  for (const route of routes) await route.release();
  process.send?.(listeners.list());
});
