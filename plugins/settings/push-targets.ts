/** The proxies that deliver settings to servers and are still running. */

export interface PushTarget {
  /** Of the proxy. */
  readonly pid: number;
  /** The name of the server's program. */
  readonly server: string;
  /** Of the settings it was given last. */
  readonly version: number;
  /** When, in milliseconds since the epoch. */
  readonly at: number;
}

/** The maximum number of proxies per block, against clients that connect repeatedly. */
const MOST = 100;

export class PushTargets {
  readonly #of = new Map<string, Map<number, PushTarget>>();

  /** `name`: of the block. */
  note(name: string, server: PushTarget): void {
    const known = this.#of.get(name) ?? new Map<number, PushTarget>();
    this.#of.set(name, known);
    known.delete(server.pid);
    known.set(server.pid, server);
    if (known.size > MOST) known.delete(known.keys().next().value as number);
  }

  /** The one that asked last comes last. Those that have ended are forgotten. */
  of(name: string): readonly PushTarget[] {
    const known = this.#of.get(name);
    for (const { pid } of known?.values() ?? []) if (!isAlive(pid)) known?.delete(pid);
    return [...(known?.values() ?? [])];
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
