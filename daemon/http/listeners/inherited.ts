/**
 * Sockets that systemd opened before the daemon started (`.socket` units): descriptors from 3 on, as many as
 * `LISTEN_FDS` says, when `LISTEN_PID` is this process. A claim takes the one that listens on its address.
 */
import { addressText } from "../../config/address.js";
import { addressOfDescriptor } from "./proc-sockets.js";

const FIRST = 3;

export type Inherited = ReadonlyMap<string, number>;

/** By the address as written (`addressText`). Takes the variables away: children must not think they are meant. */
export async function inheritedSockets(environment: NodeJS.ProcessEnv): Promise<Inherited> {
  const { LISTEN_PID, LISTEN_FDS } = environment;
  for (const name of ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]) delete environment[name];
  const count = Number(LISTEN_FDS);
  if (Number(LISTEN_PID) !== process.pid || !Number.isInteger(count) || count < 1) return new Map();
  const found = new Map<string, number>();
  for (let descriptor = FIRST; descriptor < FIRST + count; descriptor += 1) {
    const address = await addressOfDescriptor(descriptor);
    if (address === undefined) continue;
    found.set(addressText(address), descriptor);
    // A socket on all addresses of both families is what `:80` asks for.
    if (address.kind === "tcp" && address.host === "::") found.set(`:${address.port}`, descriptor);
  }
  return found;
}
