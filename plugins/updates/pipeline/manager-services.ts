/** What package managers are given: settings, one look-up for all, workers for lock files, programs. */
import { tmpdir } from "node:os";
import type { PluginContext, ProcessRequest, ProcessResult, SandboxService } from "reeve/plugin";
import type { UpdatesSettings } from "../blocks/settings.js";
import { UpdatesError } from "../errors.js";
import type { ManagerSettings, Tools } from "../managers/contract.js";
import { createLockWorkers } from "../managers/lock/pool.js";
import type { Credential, KeptLookup, Lookup, LookupCache } from "../registries/contract.js";
import { lsRemote } from "../registries/git-references.js";
import { createLookup } from "../registries/lookup.js";

/** Announcements that are remembered. */
const mostAnnounced = 1000;

export class ManagerServices {
  readonly #context: PluginContext;
  readonly #settings: () => UpdatesSettings;
  readonly #ending = new AbortController();
  readonly #workers = createLockWorkers();
  readonly #answers: LookupCache;
  #known = "";
  #lookup: KeptLookup | undefined;
  readonly #announced = new Map<number, Lookup>();

  constructor(context: PluginContext, settings: () => UpdatesSettings, answers: LookupCache) {
    this.#context = context;
    this.#answers = answers;
    this.#settings = settings;
  }

  get settings(): ManagerSettings {
    const { registries, unsafe } = this.#settings();
    return {
      registries: registries.map(({ manager, url, scope }) => ({
        manager,
        url,
        ...(scope === undefined ? {} : { scope }),
      })),
      unsafe,
    };
  }

  get lookup(): KeptLookup {
    this.#lookup ??= createLookup({
      clock: this.#context.clock,
      cache: this.#answers,
      credentials: this.#credentials(),
      listReferences: lsRemote({
        run: (request) => this.#context.processes.run(request),
        local: [this.#settings().root],
      }),
      signal: this.#ending.signal,
    });
    return this.#lookup;
  }

  /**
   * For what a release was announced for, at a time that stands for that announcement: whoever heard of it has asked the
   * registry anew, and this daemon, which may be another one, does so once.
   */
  lookupAfter(announcedAt: number): Lookup {
    const known = this.#announced.get(announcedAt);
    if (known) return known;
    const fresh = this.lookup.fresh();
    const [oldest] = this.#announced.keys();
    if (oldest !== undefined && this.#announced.size >= mostAnnounced)
      this.#announced.delete(oldest);
    this.#announced.set(announcedAt, fresh);
    return fresh;
  }

  tools(signal: AbortSignal): Tools {
    return {
      lookup: this.lookup,
      run: (request) => this.#run(request),
      workers: this.#workers,
      credentials: this.#credentials(),
      scratch: this.#context.directories.temporary,
      cache: this.#context.directories.cache,
      // A sandbox sees none of the daemon's own directories.
      ...(this.#settings().sandbox === undefined ? {} : { fenced: tmpdir() }),
      signal,
    };
  }

  /** In the sandbox, where one is named: never outside it instead. */
  async #run(request: ProcessRequest): Promise<ProcessResult> {
    const { sandbox } = this.#settings();
    if (sandbox === undefined) return this.#context.processes.run(request);
    const service = this.#context.services.use<SandboxService>("sandbox");
    if (!service)
      throw new UpdatesError(
        "tool_missing",
        "No plugin offers sandboxes at the moment, so tools are not run; is the firewall plugin running?",
      );
    const { argv, cwd, env = {}, timeout, outputLimit = 1024 * 1024, signal } = request;
    const result = await service.run(
      {
        ...{ sandbox, argv, outputLimit, label: `updates ${argv.at(-1)}` },
        env: env as Readonly<Record<string, string>>,
        ...(cwd === undefined ? {} : { cwd }),
        ...(timeout === undefined ? {} : { timeout }),
      },
      undefined,
      signal,
    );
    const [refused] = result.refused;
    // Tools say of this whatever they say of a registry that is broken.
    if (refused && result.exitCode !== 0)
      throw new UpdatesError(
        "lock_failed",
        `\`sandbox "${sandbox}"\` does not let the tool reach ${refused.domain}: ${refused.reason}.`,
      );
    return result;
  }

  /** After other settings: what was looked up with other credentials is forgotten. */
  refresh(): void {
    const known = JSON.stringify([this.#credentials(), this.#settings().root]);
    if (known === this.#known) return;
    this.#known = known;
    this.#lookup = undefined;
    this.#announced.clear();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#workers.close();
  }

  #credentials(): readonly Credential[] {
    return this.#settings().registries.flatMap(({ url, token, login }) => {
      if (token !== undefined) return [{ url, authorization: `Bearer ${token.reveal()}` }];
      if (login === undefined) return [];
      const pair = Buffer.from(`${login.username}:${login.password.reveal()}`).toString("base64");
      return [{ url, authorization: `Basic ${pair}` }];
    });
  }
}
