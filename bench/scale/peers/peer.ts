/** Job libraries, and the queue of reeve beside them, under one interface: jobs that do nothing, as fast as each can. */

/** Jobs at the same time, a daemon. */
export const AT_ONCE = 50;

export interface Peer {
  /** Adds so many jobs. */
  fill(jobs: number): Promise<void>;
  /** Works, and tells of each job that is done. */
  work(done: () => void): Promise<void>;
}

/** `pg-boss, our contract` is reeve's worker on a queue that pg-boss keeps; the others work as their makers mean them to. */
export const peers = [
  "reeve",
  "pg-boss, our contract",
  "pg-boss",
  "graphile-worker",
  "graphile-worker, ten times as many locked",
] as const;
export type PeerName = (typeof peers)[number];

/** As many as go well into one statement. */
const portion = 1000;

export function portions(jobs: number): readonly number[][] {
  const all = Array.from({ length: jobs }, (_, index) => index);
  return Array.from({ length: Math.ceil(jobs / portion) }, (_, at) =>
    all.slice(at * portion, (at + 1) * portion),
  );
}
