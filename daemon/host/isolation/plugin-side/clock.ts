/** The host's clock: its time is carried on here between two meetings, its sleep is the host's. */
import type { Clock } from "../../../plugin-api/context.js";
import type { HostPeer } from "./host-peer.js";

export function createClock(host: HostPeer): { readonly api: Clock; set(now: number): void } {
  let offset = 0;
  const set = (now: number): void => {
    offset = now - Date.now();
    // A millisecond or two is the way across, not another time.
    if (Math.abs(offset) < 50) offset = 0;
  };
  return {
    set,
    api: {
      now: () => Date.now() + offset,
      async sleep(milliseconds, signal) {
        signal?.throwIfAborted();
        try {
          set(await host.call("sleep", milliseconds, signal));
        } catch (thrown) {
          throw signal?.aborted ? signal.reason : thrown;
        }
      },
    },
  };
}
