/**
 * The jobs of one daemon by one of the peers: `daemon.js <peer> <database> <jobs>`. Adds its jobs, waits for a line, works, and
 * writes how many it has done whenever it has looked up; ended by the next line, it says how many microseconds of processor
 * it has taken since the first.
 */

import { boss, graphile } from "./libraries.js";
import { AT_ONCE, type Peer, type PeerName } from "./peer.js";
import { bossByContract, reeve } from "./queues.js";

const makers: Readonly<Record<PeerName, (address: string) => Promise<Peer>>> = {
  reeve,
  "pg-boss, our contract": bossByContract,
  "pg-boss": boss,
  "graphile-worker": (address) => graphile(address, AT_ONCE),
  "graphile-worker, ten times as many locked": (address) => graphile(address, 10 * AT_ONCE),
};

const line = (): Promise<unknown> => new Promise((resolve) => process.stdin.once("data", resolve));
const [, , name = "", address = "", count = "0"] = process.argv;
const peer = await makers[name as PeerName](address);
await peer.fill(Number(count));
process.stdout.write("filled\n");
await line();
const startedAt = process.cpuUsage();
let done = 0;
let reported = 0;
await peer.work(() => {
  done += 1;
});
const teller = setInterval(() => {
  if (done > reported) process.stdout.write(`${done}\n`);
  reported = done;
}, 10);
await line();
clearInterval(teller);
const { user, system } = process.cpuUsage(startedAt);
process.stdout.write(`cpu ${user + system}\n`, () => process.exit(0));
