/** Polls branches and open pull requests of code hosts without webhooks, by conditional requests. */
import { errorMessage, UpdatesError } from "../../errors.js";
import { RemoteHost } from "../../hosts/remote/remote.js";
import { managerOf, type PackageManager } from "../../managers/index.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Config, Pull } from "../../store/tables.js";
import { rulesOf, verdictOf } from "../plan/merge-rules.js";
import type { Ports } from "../ports.js";
import type { BranchPorts } from "./branch-changes.js";
import { branchChanged, pushed } from "./branch-changes.js";

/** Milliseconds after a delivery during which the repository is not polled. */
const trusted = 86_400_000;
/** Milliseconds between checks whether polling is enabled. */
const idle = 10_000;
/** Turns per interval; the repositories due in one turn are polled together. */
const turns = 20;
const atOnce = 4;
/** The share of the rate limit that polling leaves unused. */
const reserve = 0.1;

interface RepoPollState {
  /** Milliseconds since the epoch. */
  due: number;
  reportedAt: number | undefined;
  /** By resource. */
  readonly etags: Map<string, string>;
  readonly heads: Map<string, string>;
}

export class HostPoller {
  readonly #ports: BranchPorts & Pick<Ports, "enqueueFollow" | "signal">;
  readonly #seen = new Map<number, RepoPollState>();
  /** No request before this time, in milliseconds since the epoch. */
  #rest = 0;

  constructor(ports: BranchPorts & Pick<Ports, "enqueueFollow" | "signal">) {
    this.#ports = ports;
  }

  /** A delivery has arrived: this repository needs no polling. */
  hostReported(repoId: number): void {
    this.#seenOf(repoId).reportedAt = this.#ports.clock.now();
  }

  /** Runs until the instance stops. */
  async begin(): Promise<void> {
    const { clock, signal } = this.#ports;
    while (!signal.aborted) {
      const pause = await this.#turn().catch((thrown: unknown) => this.#troubled(thrown));
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  /** Polls everything that is due. Returns the milliseconds until the next turn. */
  async #turn(): Promise<number> {
    const { host, settings } = this.#ports;
    const every = settings.host?.poll ?? 0;
    if (!(host instanceof RemoteHost) || every === 0) return idle;
    const configured = await this.#ports.configs.counts();
    for (const id of this.#seen.keys()) if (!configured.has(id)) this.#seen.delete(id);
    const now = this.#ports.clock.now();
    const due = [...configured.keys()].filter((id) => this.#isDue(id, now, every));
    for (let at = 0; at < due.length; at += atOnce) {
      if (this.#ports.signal.aborted || this.#ports.clock.now() < this.#rest) break;
      await Promise.all(due.slice(at, at + atOnce).map((id) => this.#look(host, id, every)));
      this.#spare(host);
    }
    return Math.max(every / turns, this.#rest - this.#ports.clock.now());
  }

  #isDue(id: number, now: number, every: number): boolean {
    const isNew = !this.#seen.has(id);
    const seen = this.#seenOf(id);
    // Spread the first polls over the interval.
    if (isNew) seen.due = now + Math.random() * every;
    return seen.due <= now && !(seen.reportedAt !== undefined && now - seen.reportedAt < trusted);
  }

  async #look(host: RemoteHost, id: number, every: number): Promise<void> {
    const seen = this.#seenOf(id);
    seen.due = this.#ports.clock.now() + every * (0.9 + 0.2 * Math.random());
    const repo = await this.#ports.repos.byId(id);
    if (!repo || repo.gone === 1) return;
    try {
      await this.#branches(host, repo, seen);
      await this.#pulls(host, repo, seen);
    } catch (thrown) {
      this.#troubled(thrown);
    }
  }

  async #branches(host: RemoteHost, repo: NamedRepo, seen: RepoPollState): Promise<void> {
    const configs = await this.#ports.configs.ofRepo(repo.id);
    const branchOf = (config: Config): string => config.target_branch || repo.default_branch;
    for (const branch of new Set([repo.default_branch, ...configs.map(branchOf)])) {
      const etag = seen.etags.get(`heads/${branch}`);
      const answer = await host.headSince(hostRepoOf(repo), branch, etag);
      if (answer.kind === "same") continue;
      const indexed = configs.filter((config) => branchOf(config) === branch);
      const known =
        seen.heads.get(branch) ?? indexed.find(({ indexed_at }) => indexed_at !== null)?.indexed_at;
      const { found: head } = answer;
      if (head !== undefined && head !== known) {
        host.outdate(repo.host_id);
        if (branch === repo.default_branch) await pushed(this.#ports, repo);
        else await branchChanged(this.#ports, repo, branch);
      }
      // The ETag is stored last, so failures are polled again.
      if (head !== undefined) seen.heads.set(branch, head);
      seen.etags.set(`heads/${branch}`, answer.etag);
    }
  }

  async #pulls(host: RemoteHost, repo: NamedRepo, seen: RepoPollState): Promise<void> {
    const ours = await this.#ports.pulls.list({ repoId: repo.id, state: "open" });
    if (ours.length === 0) return;
    const answer = await host.openSince(hostRepoOf(repo), seen.etags.get("pulls"));
    const heads = answer.kind === "same" ? undefined : answer.found;
    for (const pull of ours) {
      const moved = heads !== undefined && heads.get(pull.number) !== pull.head_sha;
      if (moved || (await this.#mayPassYet(pull))) await this.#ports.enqueueFollow(pull);
    }
    if (answer.kind !== "same") seen.etags.set("pulls", answer.etag);
  }

  /** Only its checks prevent the merge, and checks may be repeated. */
  async #mayPassYet(pull: Pull): Promise<boolean> {
    if (pull.automerge !== "refused" || pull.note !== null || pull.checks === "passed")
      return false;
    const config = await this.#ports.configs.byId(pull.config_id);
    if (!config) return false;
    const dependencies = await this.#ports.pulls.dependenciesOf(pull);
    const manager = await managerOf(config.package_manager as PackageManager);
    return verdictOf(dependencies, rulesOf(config, manager)).matches;
  }

  /** Leaves the rest of the rate limit to updates. */
  #spare(host: RemoteHost): void {
    const { budget } = host;
    if (budget && budget.remaining < budget.limit * reserve && budget.resets > this.#rest)
      this.#rest = budget.resets;
  }

  #troubled(thrown: unknown): number {
    const { clock, signal, log } = this.#ports;
    if (signal.aborted) return 0;
    const pause = (thrown instanceof UpdatesError ? thrown.retryAfter : undefined) ?? 0;
    const until = clock.now() + pause;
    if (pause === 0 || until > this.#rest)
      log.warn(`Cannot poll the code host: ${errorMessage(thrown)}`);
    this.#rest = Math.max(this.#rest, until);
    return Math.max(pause, idle);
  }

  #seenOf(id: number): RepoPollState {
    const seen = this.#seen.get(id) ?? {
      ...{ due: 0, reportedAt: undefined },
      ...{ etags: new Map<string, string>(), heads: new Map<string, string>() },
    };
    this.#seen.set(id, seen);
    return seen;
  }
}
