/** The queue of reeve beside job libraries: what loading each costs, what becomes of what jobs need, and how fast each is. */
import { Server } from "../../../daemon/services/testing/postgres.js";
import { print } from "../../support/table.js";
import { load } from "./load.js";
import { needs } from "./needs.js";
import { throughput } from "./throughput.js";

export async function printPeers(
  size: { readonly jobs: number; readonly rounds: number },
  settings: readonly string[],
): Promise<void> {
  const server = await Server.start(...settings);
  const rows = [
    ...(await load()),
    ...(await needs(server)),
    ...(await throughput(server, { ...size, most: 2 })),
  ];
  const { jobs, rounds } = size;
  print(
    rows,
    `${jobs} jobs that do nothing, 50 at once a daemon, ${rounds} rounds in turns; PostgreSQL waits for its disk.`,
  );
}
