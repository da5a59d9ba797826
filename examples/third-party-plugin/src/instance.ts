/** The plugin while it lives. */
import type {
  Health,
  HttpServer,
  Panel,
  PluginContext,
  PluginInstance,
  PrepareAttempt,
  Prepared,
} from "reeve/plugin";
import type { blocks, UptimeConfiguration } from "./blocks.js";
import { badges, ratio, stateOf } from "./page.js";
import { type Memory, type Tools, Watch } from "./watch.js";

/** One site, as the panel, the command and the dashboard screen show it. */
export interface SiteStatus {
  readonly site: string;
  readonly state: ReturnType<typeof stateOf>;
  readonly ratio: number | null;
  readonly took: number | null;
  readonly at: number | null;
  readonly reason: string | null;
}

/** What `GET /v1/uptime/sites` of the control API answers. */
export interface SiteList {
  readonly sites: readonly SiteStatus[];
}

export class Uptime implements PluginInstance<typeof blocks> {
  readonly #context: PluginContext;
  readonly #tools: Tools;
  #watches: ReadonlyMap<string, Watch> = new Map();
  /** Watches that are ending. */
  readonly #leaving = new Set<Promise<void>>();
  #page: { readonly server: HttpServer; readonly settings: string } | undefined;

  constructor(context: PluginContext) {
    const { metrics, store } = context;
    this.#context = context;
    this.#tools = {
      context,
      memory: store.map<Memory>("sites"),
      up: metrics.gauge("up", "1 while the site is up, else 0.", ["site"]),
      checks: metrics.counter("checks_total", "Checks made.", ["site", "outcome"]),
      seconds: metrics.histogram("check_seconds", "How long sites took to answer."),
    };
  }

  /** Builds watches and the page beside what runs; nothing is asked and nothing answers before the commit. */
  async prepare(
    next: UptimeConfiguration,
    _previous: UptimeConfiguration | undefined,
    attempt: PrepareAttempt,
  ): Promise<Prepared> {
    const [page] = next.blocks.page;
    warnOfTwins(next, attempt);
    const watches = new Map<string, Watch>();
    const changed: Array<() => void> = [];
    for (const block of next.blocks.site) {
      const action = attempt.changes.get(block.key);
      const running = this.#watches.get(block.key);
      const goesOn = running && (action === "unchanged" || action === "updated");
      const watch = goesOn ? running : await Watch.open(block, this.#tools);
      watches.set(block.key, watch);
      if (goesOn && action === "updated") changed.push(() => watch.reconfigure(block));
    }
    const settings = page ? `${page.values.listen} ${page.values.prefix}` : "";
    let opened = this.#page?.settings === settings ? this.#page : undefined;
    if (page && !opened) {
      const find = (label: string) =>
        [...this.#watches.values()].find((watch) => watch.label === label);
      opened = { server: await this.#context.http.serve(page.values, badges(find)), settings };
    }
    return {
      commit: () => {
        const kept = new Set(watches.values());
        for (const watch of this.#watches.values()) if (!kept.has(watch)) this.#dismiss(watch);
        if (this.#page !== opened) void this.#page?.server.close();
        this.#watches = watches;
        this.#page = opened;
        for (const change of changed) change();
        for (const watch of watches.values()) watch.start();
      },
    };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#leaving, ...[...this.#watches.values()].map((each) => each.end())]);
  }

  health(): Health {
    const down = [...this.#watches.values()].filter((watch) => stateOf(watch) === "down");
    if (down.length === 0) return { state: "healthy" };
    const names = down.map(({ label, last }) => `${label} (${last?.reason})`);
    return { state: "degraded", reason: `Down: ${names.join(", ")}.` };
  }

  panels(): readonly Panel[] {
    return [
      {
        kind: "table",
        id: "sites",
        title: "Sites",
        columns: [
          { id: "site", title: "Site" },
          { id: "state", title: "State", format: "state" },
          { id: "ratio", title: "Up", format: "ratio" },
          { id: "took", title: "Took", format: "duration", priority: 1 },
          { id: "at", title: "Asked", format: "time", priority: 2 },
          { id: "reason", title: "Reason", priority: 3 },
        ],
        rows: this.#sites().map((site) => ({ ...site })),
      },
    ];
  }

  /** The control routes of the command line. Called once, in `setup`. */
  serveControl(): Promise<void> {
    return this.#context.http.control((app) => {
      app.get("/sites", (): SiteList => ({ sites: this.#sites() }));
    });
  }

  #sites(): readonly SiteStatus[] {
    return [...this.#watches.values()].map((watch) => ({
      site: watch.label,
      state: stateOf(watch),
      ratio: ratio(watch),
      took: watch.last?.took ?? null,
      at: watch.last?.at ?? null,
      reason: watch.last?.reason ?? null,
    }));
  }

  #dismiss(watch: Watch): void {
    const leaving = watch.end().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}

/** Two names for one address are allowed, and most likely a slip. */
function warnOfTwins({ blocks }: UptimeConfiguration, attempt: PrepareAttempt): void {
  const names = new Map<string, string>();
  for (const block of blocks.site) {
    const { label = "", values } = block;
    const watchedBy = names.get(values.url);
    if (watchedBy === undefined) names.set(values.url, label);
    else {
      const options = { severity: "warning", code: "watched_twice" } as const;
      attempt.report(
        block.rangeOf("url"),
        `this is what the site "${watchedBy}" watches already`,
        options,
      );
    }
  }
}
