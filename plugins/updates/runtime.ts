/** Everything of one configuration that works together: records, code host, index, schedule, runs. */
import type { PluginContext } from "reeve/plugin";
import { AdvisoryIndex } from "./advisories/advisory-index.js";
import type { UpdatesSettings } from "./blocks/settings.js";
import { accountSettings } from "./blocks/settings.js";
import { errorMessage, isStoreAway } from "./errors.js";
import { Access } from "./hosts/access.js";
import type { CodeHost } from "./hosts/contract.js";
import { EmbeddedHost } from "./hosts/embedded/embedded.js";
import { headIn } from "./hosts/embedded/watch.js";
import { RepositoryDirectory } from "./hosts/repository-directory.js";
import { ManagerServices } from "./pipeline/edit/manager-services.js";
import { HostPoller } from "./pipeline/inbound/poller.js";
import { ReleaseAnnouncer } from "./pipeline/inbound/release-announcer.js";
import { syncConfigFile } from "./pipeline/inbound/sync-config-file.js";
import { DependencyIndex } from "./pipeline/plan/dependency-index.js";
import { UpdateQueues } from "./pipeline/queues.js";
import { ReleaseNotesFinder } from "./pipeline/release-notes/release-notes.js";
import { Stages } from "./pipeline/stages.js";
import { UpdateEvents } from "./pipeline/update-events.js";
import { RegistryPoller } from "./schedule/registry-poller.js";
import { Scheduler } from "./schedule/scheduler.js";
import type { NamedRepo } from "./store/repos.js";
import type { UpdatesStore } from "./store/store.js";
import type { Config } from "./store/tables.js";

export class UpdatesRuntime {
  readonly context: PluginContext;
  readonly store: UpdatesStore;
  readonly directory: RepositoryDirectory;
  readonly access: Access;
  readonly managers: ManagerServices;
  readonly events: UpdateEvents;
  readonly stages: Stages;
  readonly releaseNotes: ReleaseNotesFinder;
  readonly advisories: AdvisoryIndex;
  readonly index: DependencyIndex;
  readonly schedule: Scheduler;
  readonly live: RegistryPoller;
  readonly queues: UpdateQueues;
  readonly announcer: ReleaseAnnouncer;
  readonly poller: HostPoller;
  settings: UpdatesSettings;
  host: CodeHost;
  readonly #address: () => string;
  #isStarted = false;

  constructor(
    context: PluginContext,
    store: UpdatesStore,
    settings: UpdatesSettings,
    host: CodeHost,
    address: () => string,
  ) {
    this.#address = address;
    this.context = context;
    this.store = store;
    this.settings = settings;
    this.host = host;
    this.directory = new RepositoryDirectory(store.accounts, store.repos);
    this.access = new Access(context.clock);
    this.managers = new ManagerServices(context, () => this.settings, store.registryCache);
    this.events = new UpdateEvents({
      ...{ events: context.events, log: context.log, kept: store.events },
      ...{ daemon: context.host, isShared: store.isShared },
    });
    this.advisories = new AdvisoryIndex(context.log);
    this.index = new DependencyIndex({
      store,
      host: () => this.host,
      settings: () => this.managers.settings,
    });
    this.stages = new Stages(context.clock);
    this.releaseNotes = new ReleaseNotesFinder(this);
    this.queues = new UpdateQueues(this);
    this.announcer = new ReleaseAnnouncer(this);
    this.live = new RegistryPoller(this);
    this.poller = new HostPoller(this);
    this.schedule = new Scheduler({
      configs: store.configs,
      clock: context.clock,
      log: context.log,
      settingsFor: async (config) => {
        const repo = await store.repos.byId(config.repo_id);
        return repo?.gone === 0 ? accountSettings(this.settings, repo.login) : undefined;
      },
      start: (configs) => this.queues.wake(configs),
    });
  }

  /** Wants runs of these configs: of all their dependencies, or of one of which a release was announced. */
  async enqueue(
    configs: readonly Config[],
    trigger: string,
    release?: { readonly name: string; readonly at: number },
  ): Promise<void> {
    await this.store.reasons.add(
      configs.map(({ id }) => id),
      trigger,
      release,
    );
    await this.store.flushed();
    await this.queues.wake(configs);
  }

  /** `http://127.0.0.1:9100`, base path included, without a slash at the end. */
  get url(): string {
    return this.#address();
  }

  /** By account and name, as on the disk now. */
  async repoNamed(login: string, name: string): Promise<NamedRepo | undefined> {
    const known = await this.store.repos.byName(login, name);
    if (known || !(this.host instanceof EmbeddedHost)) return known;
    const account = (await this.host.everyAccount()).find((each) => each.login === login);
    if (!account) return undefined;
    await this.directory.refresh(this.host, { login: "", token: "" }, account);
    return this.store.repos.byName(login, name);
  }

  /** Somebody has pushed. */
  async pushed(repo: NamedRepo): Promise<void> {
    if (this.host.kind === "embedded") {
      const head = await headIn(repo.place, repo.default_branch);
      await this.store.repos.change(repo.id, { seen_head: head ?? null });
    }
    await syncConfigFile(this, repo);
    const configs = await this.store.configs.ofRepo(repo.id);
    const branches = new Set(configs.map((each) => each.target_branch || repo.default_branch));
    for (const branch of branches) await this.branchChanged(repo, branch);
    this.events.emit("update.pushed", { repo: `${repo.login}/${repo.name}` });
  }

  /** Takes in what was pushed into the folder around us, until the end. */
  async #watch(): Promise<void> {
    const { clock, signal, log } = this.context;
    while (!signal.aborted) {
      const started = clock.now();
      try {
        await this.#readAdvisories();
        await this.scanRepositories();
      } catch (thrown) {
        if (signal.aborted) return;
        if (!isStoreAway(thrown)) {
          log.warn(`The folder of repositories cannot be read: ${errorMessage(thrown)}`);
        }
      }
      const pause = Math.max(10_000, 20 * (clock.now() - started));
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  /** Whoever may be concerned by a new record is looked at again. */
  async #readAdvisories(): Promise<void> {
    if (!(await this.advisories.refresh(this.settings.advisories))) return;
    const configs = await this.store.configs.all();
    if (configs.length > 0) await this.enqueue(configs, "advisories");
  }

  /** Looks for accounts, repositories and commits that came without us. */
  async scanRepositories(): Promise<void> {
    const { host } = this;
    if (!(host instanceof EmbeddedHost)) return;
    for (const account of await host.everyAccount()) {
      await this.directory.refresh(host, { login: "", token: "", owner: true }, account);
    }
    for (const repo of await this.store.repos.all()) {
      const head = await headIn(repo.place, repo.default_branch);
      if (head !== undefined && head !== repo.seen_head) await this.pushed(repo);
    }
  }

  /** A branch has moved: what depends on it is read again, and what is open on it looked at. */
  async branchChanged(repo: NamedRepo, branch: string): Promise<void> {
    const configs = await this.store.configs.ofRepo(repo.id);
    const concerned = configs.filter(
      (config) => (config.target_branch || repo.default_branch) === branch,
    );
    for (const config of concerned) await this.index.refresh(config, repo);
    const open = await this.store.pulls.list({ repoId: repo.id, state: "open" });
    const waiting = new Set(open.map(({ config_id }) => config_id));
    const again = concerned.filter(({ id }) => waiting.has(id));
    if (again.length > 0) await this.enqueue(again, "base moved");
  }

  /** Other settings, perhaps another host; then, the first time, work begins. */
  reconfigure(settings: UpdatesSettings, host: CodeHost): void {
    this.settings = settings;
    if (host !== this.host) {
      this.host.close();
      this.host = host;
    }
    this.managers.refresh();
    this.queues.refresh();
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.queues.begin();
    void this.schedule.begin();
    void this.live.begin();
    void this.#watch();
    void this.poller.begin();
  }

  /** What keeps all of it from working, in one sentence. */
  get failure(): string | undefined {
    return this.queues.failure;
  }

  async stop(): Promise<void> {
    this.events.end();
    this.schedule.stop();
    this.live.stop();
    await this.queues.stop();
    await this.managers.close();
    await this.store.registryCache.flush();
    await this.events.flush();
    this.host.close();
  }
}
