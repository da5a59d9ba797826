/**
 * One client's event stream: a snapshot, then numbered deltas. Events that the client reads too slowly are dropped;
 * it gets a notice and a new snapshot.
 */
import { errorMessage } from "../../errors.js";
import type { DaemonEvent, DaemonServices } from "../../services/contract.js";
import type { EventLine, EventQuery, SnapshotLine } from "./api.js";
import { type Backlog, backlogFor } from "./backlog.js";

/** Where the lines go. */
export interface Sink {
  /** Returns whether more may be written now; if not, `drained` of the stream is called later. */
  write(text: string): boolean;
  end(): void;
}

export interface StreamOptions {
  readonly kit: Pick<DaemonServices, "events" | "clock" | "log">;
  /** Names this life of the daemon. */
  readonly boot: string;
  readonly snapshot: () => Promise<Pick<SnapshotLine, "status" | "runs">>;
}

/** Milliseconds without a line until a heartbeat is sent. */
export const HEARTBEAT = 15_000;

export class EventStream {
  readonly #options: StreamOptions;
  readonly #sink: Sink;
  readonly #over = new AbortController();
  readonly #unsubscribe: () => void;
  readonly #backlog: Backlog;
  #missed = false;
  #blocked = true;
  #flushing = false;
  #quiet = false;

  constructor(options: StreamOptions, sink: Sink, query: EventQuery) {
    this.#options = options;
    this.#sink = sink;
    this.#backlog = backlogFor(query.most);
    this.#unsubscribe = options.kit.events.subscribe((event) => this.#take(event));
    void this.#begin(query);
    void this.#beat();
  }

  /** The client has read what was written. */
  drained(): void {
    this.#blocked = false;
    this.#flushSoon();
  }

  /** Safe to call twice. */
  close(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#unsubscribe();
    this.#backlog.take();
    this.#sink.end();
  }

  async #begin({ since, boot }: EventQuery): Promise<void> {
    const { events } = this.#options.kit;
    const known = boot === undefined || boot === this.#options.boot;
    const past =
      since !== undefined && known && since <= events.sequence ? events.since(since) : undefined;
    if (past === undefined) {
      await this.#snapshot(since !== undefined);
    } else {
      for (const event of past) this.#backlog.add(event);
      this.drained();
    }
  }

  /** State and events may overlap: an event's effect can be in the snapshot already. None is left out. */
  async #snapshot(missed: boolean): Promise<void> {
    const { kit, boot, snapshot } = this.#options;
    this.#blocked = true;
    this.#missed = false;
    this.#backlog.take();
    const { sequence } = kit.events;
    try {
      const parts = await snapshot();
      if (this.#over.signal.aborted) return;
      const line: SnapshotLine = { line: "snapshot", sequence, boot, ...parts };
      this.#blocked = !this.#write(missed ? { ...line, missed: true } : line);
      this.#flushSoon();
    } catch (thrown) {
      kit.log.error("An event stream ended", { reason: errorMessage(thrown) });
      this.close();
    }
  }

  #take(event: DaemonEvent): void {
    if (this.#missed) return;
    if (this.#backlog.add(event)) {
      this.#flushSoon();
      return;
    }
    this.#missed = true;
    this.#backlog.take();
  }

  /** Events of one moment, or of the time that the client gives, go out in one write. */
  #flushSoon(): void {
    if (this.#blocked || this.#flushing || this.#over.signal.aborted) return;
    this.#flushing = true;
    const flush = (): void => {
      this.#flushing = false;
      this.#flush();
    };
    const { gather } = this.#backlog;
    if (gather === 0) setImmediate(flush);
    else this.#options.kit.clock.sleep(gather, this.#over.signal).then(flush, () => undefined);
  }

  #flush(): void {
    if (this.#blocked || this.#over.signal.aborted) return;
    if (this.#missed) {
      void this.#snapshot(true);
      return;
    }
    const lines = this.#backlog.take();
    if (lines.length > 0) this.#blocked = !this.#write(...lines);
  }

  async #beat(): Promise<void> {
    const { clock, events } = this.#options.kit;
    while (!this.#over.signal.aborted) {
      this.#quiet = true;
      await clock.sleep(HEARTBEAT, this.#over.signal).catch(() => undefined);
      if (!this.#quiet || this.#blocked || this.#over.signal.aborted) continue;
      const line = { line: "heartbeat", sequence: events.sequence, at: clock.now() } as const;
      this.#blocked = !this.#write(line);
    }
  }

  #write(...lines: readonly EventLine[]): boolean {
    this.#quiet = false;
    return this.#sink.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}
