/** Services for package managers: settings, one shared lookup, lock file workers, programs. */
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginContext, ProcessRequest, ProcessResult, SandboxService } from "reeve/plugin";
import type { UpdatesSettings } from "../blocks/settings.js";
import { UpdatesError } from "../errors.js";
import type { ManagerSettings, Tools } from "../managers/contract.js";
import { createLockWorkers } from "../managers/lock/pool.js";
import type { Credential, KeptLookup, Lookup, LookupCache } from "../registries/contract.js";
import { Egress, refusal } from "../registries/egress.js";
import { lsRemote } from "../registries/git-references.js";
import { createLookup } from "../registries/lookup.js";

/** Files that say where packages come from. */
const LOCK_OR_REGISTRY =
  /(\.lock|[.-]lock\.(json|ya?ml)|^npm-shrinkwrap\.json|^\.npmrc|^\.yarnrc(\.yml)?|^nuget\.config|^pip\.conf)$/i;

/** The number of remembered announcements. */
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
    const { registries, unsafe, patterns } = this.#settings();
    return {
      registries: registries.map(({ manager, url, scope }) => ({
        manager,
        url,
        ...(scope === undefined ? {} : { scope }),
      })),
      ...{ unsafe, patterns },
    };
  }

  get lookup(): KeptLookup {
    this.#lookup ??= createLookup({
      clock: this.#context.clock,
      cache: this.#answers,
      credentials: this.#credentials(),
      egress: this.#egress,
      listReferences: lsRemote({
        run: (request) => this.#context.processes.run(request),
        local: [this.#settings().root],
        egress: this.#egress,
      }),
      signal: this.#ending.signal,
    });
    return this.#lookup;
  }

  /**
   * The lookup for configs of an announced release. The announcing daemon queried the registry again; any other daemon does so once
   * per announcement, identified by its time.
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
      // Sandboxes cannot see the daemon's directories.
      ...(this.#settings().sandbox === undefined ? {} : { sandboxDirectory: tmpdir() }),
      signal,
    };
  }

  /** Runs in the sandbox if one is configured, and never outside it. */
  async #run(request: ProcessRequest): Promise<ProcessResult> {
    const { sandbox } = this.#settings();
    if (sandbox === undefined) {
      await this.#checkUrls(request.cwd);
      return this.#context.processes.run(request);
    }
    const service = this.#context.services.use<SandboxService>("sandbox");
    if (!service)
      throw new UpdatesError(
        "tool_missing",
        "Cannot run tools: no plugin provides sandboxes. Is the firewall plugin running?",
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
    // The tool itself would blame the registry.
    if (refused && result.exitCode !== 0)
      throw new UpdatesError(
        "lock_failed",
        `\`sandbox "${sandbox}"\` does not let the tool reach ${refused.domain}: ${refused.reason}.`,
      );
    return result;
  }

  /** New credentials and destinations invalidate the lookup. */
  refresh(): void {
    const { root, host, listen, registries, allowedRegistries } = this.#settings();
    const urls = registries.map(({ url }) => url);
    const known = JSON.stringify([
      ...[this.#credentials(), root, urls, host?.url, listen, allowedRegistries],
    ]);
    if (known === this.#known) return;
    this.#known = known;
    this.#lookup = undefined;
    this.#announced.clear();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#workers.close();
  }

  get #egress(): Egress {
    const { registries, host, listen, allowedRegistries: allowed } = this.#settings();
    const urls = [...registries.map(({ url }) => url), `http://${listen}`];
    return new Egress({ urls: host ? [...urls, host.url] : urls, allowed });
  }

  /** Tools connect by themselves: what their files name is checked before. @throws UpdatesError `registry_refused` */
  async #checkUrls(directory: string | undefined): Promise<void> {
    if (directory === undefined) return;
    const egress = this.#egress;
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !LOCK_OR_REGISTRY.test(entry.name)) continue;
      const url = egress.refusedUrlIn(await readFile(join(entry.parentPath, entry.name), "latin1"));
      if (url !== undefined) throw refusal(url);
    }
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
