/** Sends messages and pings about runs, by jobs that survive the daemon. */
import { createHash } from "node:crypto";
import type { Job, PluginContext, Queue } from "reeve/plugin";
import type { NotifyBlock, PingBlock } from "../blocks/blocks.js";
import type { Notice, NoticeScope } from "../blocks/notify.js";
import { type EndedRun, OUTCOME } from "../runs/chain.js";
import { type OutgoingMessage, send } from "./send.js";

const TRIES = 5;
/** Notices in one message. */
const MOST = 100;
/** Milliseconds that the end of a run waits until a notice is stored: a database may be away. */
const PATIENCE = 2000;

/** Without secrets: what to send is looked up in the blocks when it is sent. */
type Payload =
  | { readonly notify: string }
  | { readonly ping: string; readonly run: string; readonly path: string };

export interface NoticeMetrics {
  failed(block: string): void;
}

export class Notices {
  readonly #context: PluginContext;
  readonly #metrics: NoticeMetrics;
  #notify: ReadonlyMap<string, NotifyBlock> = new Map();
  #pings: ReadonlyMap<string, PingBlock> = new Map();
  #queue: Promise<Queue<Payload>> | undefined;

  constructor(context: PluginContext, metrics: NoticeMetrics) {
    this.#context = context;
    this.#metrics = metrics;
  }

  set(notify: readonly NotifyBlock[], pings: readonly PingBlock[]): void {
    this.#notify = new Map(notify.map((block) => [block.key, block]));
    this.#pings = new Map(pings.map((block) => [block.key, block]));
    // Also for messages that an earlier daemon left.
    if (notify.length + pings.length > 0) void this.#opened().catch(() => undefined);
  }

  async began(run: string, subject: string): Promise<void> {
    if (this.#pings.size === 0) return;
    await this.#inTime(async () => {
      for (const { key } of about(this.#pings, subject)) await this.#ping(key, run, "/start");
    });
  }

  async ended(run: EndedRun): Promise<void> {
    if (this.#pings.size + this.#notify.size === 0) return;
    await this.#inTime(async () => {
      for (const { key } of about(this.#pings, run.subject)) {
        if (run.state === "missed" || run.state === "skipped") continue;
        await this.#ping(
          key,
          run.id,
          `/${run.exitCode ?? (run.state === "succeeded" ? 0 : "fail")}`,
        );
      }
      const blocks = about(this.#notify, run.subject);
      if (blocks.length === 0) return;
      const what = OUTCOME[run.state];
      const whats: readonly string[] = (await this.#isRecovery(run)) ? [what, "recovered"] : [what];
      for (const block of blocks) {
        const found = whats.findLast((each) => block.values.on.some((wanted) => wanted === each));
        if (found !== undefined) await this.#notice(block, run, found);
      }
    });
  }

  /** Never rejects, and does not wait for a store that cannot be reached. */
  async #inTime(work: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#context;
    const done = new AbortController();
    const working = work()
      .catch((thrown: unknown) =>
        log.warn("Cannot store a notification", { reason: String(thrown) }),
      )
      .finally(() => done.abort());
    await Promise.race([working, clock.sleep(PATIENCE, done.signal).catch(() => undefined)]);
  }

  async #isRecovery({ subject, state }: EndedRun): Promise<boolean> {
    const failures = this.#context.store.map<true>("failures");
    const name = `${subject}@${this.#context.host}`;
    if (state === "succeeded") return failures.delete(name);
    if (state === "failed" || state === "timed_out") await failures.set(name, true);
    return false;
  }

  async #notice({ key, values }: NotifyBlock, run: EndedRun, what: string): Promise<void> {
    const { store, clock, host } = this.#context;
    const { kind, name, reason = "" } = run;
    const at = new Date(clock.now()).toISOString();
    const notice: Notice = { kind, name, what, run: run.id, reason, at, host };
    await store.map<Notice>("notices").set(`${key}/${run.id}`, notice);
    const last = (await store.map<number>("notified").get(key)) ?? 0;
    // A time in the future is of a clock that was set back since.
    const runAt = last > clock.now() ? clock.now() : Math.max(clock.now(), last + values.at_most);
    await (await this.#opened()).add({ notify: key }, { key, dedupe: key, runAt });
  }

  async #ping(ping: string, run: string, path: string): Promise<void> {
    await (await this.#opened()).add({ ping, run, path }, { key: run });
  }

  #opened(): Promise<Queue<Payload>> {
    this.#queue ??= this.#context.jobs.queue<Payload>(
      "notices",
      { attempts: TRIES, concurrency: 4, backoff: 2000 },
      (job) => this.#work(job),
    );
    this.#queue.catch(() => (this.#queue = undefined));
    return this.#queue;
  }

  async #work(job: Job<Payload>): Promise<void> {
    const { payload, signal, attempt } = job;
    const key = "notify" in payload ? payload.notify : payload.ping;
    try {
      if ("notify" in payload) await this.#sendNotices(payload.notify, signal);
      else await this.#sendPing(payload, signal);
    } catch (thrown) {
      if (attempt >= TRIES && !signal.aborted) {
        this.#metrics.failed(key);
        this.#context.log.error("A notification was not accepted", {
          ...{ block: key, tries: attempt, reason: (thrown as Error).message },
        });
      }
      throw thrown;
    }
  }

  async #sendNotices(key: string, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#context;
    const pending = store.map<Notice>("notices");
    const entries = await pending.entries({ prefix: `${key}/`, limit: MOST });
    const block = this.#notify.get(key);
    if (block && entries.length > 0) {
      await send(
        messageOf(
          block,
          entries.map(([, notice]) => notice),
        ),
        signal,
      );
      await store.map<number>("notified").set(key, clock.now());
    }
    for (const [name] of entries) await pending.delete(name);
    if (entries.length === MOST) await (await this.#opened()).add({ notify: key }, { key });
  }

  async #sendPing(
    { ping, run, path }: Extract<Payload, { readonly ping: string }>,
    signal: AbortSignal,
  ): Promise<void> {
    const url = this.#pings.get(ping)?.values.url;
    if (url !== undefined) await send({ url, path, query: { rid: uuidOf(run) } }, signal);
  }
}

/** The blocks that are about runs of a block. */
function about<Block extends NotifyBlock | PingBlock>(
  blocks: ReadonlyMap<string, Block>,
  subject: string,
): readonly Block[] {
  return [...blocks.values()].filter(
    ({ values: { of } }) => of === undefined || of.some(({ key }) => key === subject),
  );
}

function messageOf({ values }: NotifyBlock, notices: readonly Notice[]): OutgoingMessage {
  const scope: NoticeScope = {
    text: notices.map(lineOf).join("\n"),
    count: notices.length,
    notices,
  };
  const outcome = values.body?.evaluate(scope) ?? ({ kind: "value", value: scope.text } as const);
  const value = outcome.kind === "value" ? outcome.value : scope.text;
  const isText = typeof value === "string";
  const type = isText ? "text/plain; charset=utf-8" : "application/json";
  const isTyped = Object.keys(values.headers).some((name) => /^content-type$/i.test(name));
  return {
    url: values.url,
    headers: isTyped ? values.headers : { ...values.headers, "Content-Type": type },
    body: isText ? value : JSON.stringify(value),
  };
}

const VERBS: Readonly<Record<string, string>> = {
  success: "succeeded",
  failure: "failed",
  timeout: "timed out",
  cancelled: "was cancelled",
  skipped: "was skipped",
  missed: "missed its time",
  recovered: "succeeded again",
};

const lineOf = ({ kind, name, what, reason, host }: Notice): string =>
  `${kind} ${name} ${VERBS[what] ?? what} on ${host}${reason === "" ? "." : `: ${reason}`}`;

/** The same for a run every time. */
function uuidOf(run: string): string {
  const digest = createHash("sha256").update(run).digest();
  // A UUID of version 8 (RFC 9562).
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
