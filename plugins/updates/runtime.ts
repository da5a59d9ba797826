/** Composition: builds the parts of one instance and connects them by their ports. */
import type { PluginContext } from "reeve/plugin";
import { AdvisoryIndex } from "./advisories/advisory-index.js";
import { accountSettings, type UpdatesSettings } from "./blocks/settings.js";
import { errorMessage, isStoreAway } from "./errors.js";
import { Access } from "./hosts/access.js";
import type { CodeHost } from "./hosts/contract.js";
import { RemoteHost } from "./hosts/remote/remote.js";
import { RepositoryDirectory } from "./hosts/repository-directory.js";
import { DependencyIndex } from "./pipeline/dependency-index.js";
import { followPull } from "./pipeline/follow/follow.js";
import { watchFolder } from "./pipeline/inbound/branch-changes.js";
import { HostPoller } from "./pipeline/inbound/host-poller.js";
import { ReleaseAnnouncer } from "./pipeline/inbound/release-announcer.js";
import { ManagerServices } from "./pipeline/manager-services.js";
import type { Ports } from "./pipeline/ports.js";
import { UpdateQueues } from "./pipeline/queues.js";
import { ReleaseNotesFinder } from "./pipeline/release-notes/release-notes.js";
import { resume, sweepReasons } from "./pipeline/resume.js";
import { ConfigRunner } from "./pipeline/run.js";
import { Stages } from "./pipeline/stages.js";
import { UpdateEvents } from "./pipeline/update-events.js";
import { RegistryPoller } from "./schedule/registry-poller.js";
import { Scheduler } from "./schedule/scheduler.js";
import type { UpdatesStore } from "./store/store.js";

export interface UpdatesRuntime {
  readonly ports: Ports;
  /** Why work could not start. */
  readonly failure: string | undefined;
  /** Puts other settings in force, perhaps with another host. The first call starts the work. */
  reconfigure(settings: UpdatesSettings, host: CodeHost): void;
  endStreams(): void;
  stop(): Promise<void>;
}

export function createRuntime(
  context: PluginContext,
  store: UpdatesStore,
  initial: { readonly settings: UpdatesSettings; readonly host: CodeHost },
  url: () => string,
): UpdatesRuntime {
  const { clock, log } = context;
  const stopping = new AbortController();
  let { settings, host } = initial;
  let isStarted = false;
  let failure: string | undefined;

  const managers = new ManagerServices(context, () => settings, store.registryCache);
  const events = new UpdateEvents({
    ...{ events: context.events, log, kept: store.events },
    ...{ daemon: context.host, isShared: store.isShared },
  });
  const queues = new UpdateQueues({
    ...{ jobs: context.jobs, clock, workers: () => settings.workers },
    handlers: {
      run: (configId, lease) => runner.run(configId, lease),
      follow: (pullId, lease) => followPull(ports, pullId, lease),
      announce: (notification) => announcer.spread(notification),
    },
  });
  const scheduler = new Scheduler({
    ...{ configs: store.configs, clock, log },
    settingsFor: async (config) => {
      const repo = await store.repos.byId(config.repo_id);
      return repo?.gone === 0 ? accountSettings(settings, repo.login) : undefined;
    },
    start: (configs) => queues.enqueueRuns(configs),
  });
  const ports: Ports = {
    ...store,
    ...{ clock, log, signal: context.signal, managers, checks: context },
    access: new Access(clock),
    directory: new RepositoryDirectory(store.accounts, store.repos),
    index: new DependencyIndex({
      ...{ configs: store.configs, host: () => host, settings: () => managers.settings },
    }),
    advisories: new AdvisoryIndex(log),
    stages: new Stages(clock),
    get settings() {
      return settings;
    },
    get host() {
      return host;
    },
    get url() {
      return url();
    },
    get releaseNotes() {
      return releaseNotes;
    },
    emit: (type, data) => events.emit(type, data),
    listen: (concerns, after) => events.listen(concerns, after),
    enqueue: async (configs, trigger, request) => {
      const ids = configs.map(({ id }) => id);
      await store.reasons.add(ids, trigger, request);
      await store.flushed();
      await queues.enqueueRuns(configs);
    },
    enqueueRuns: (configs, after) => queues.enqueueRuns(configs, after),
    enqueueFollow: (pull, after) => queues.enqueueFollow(pull, after),
    enqueueNotification: (notification, after) => queues.enqueueNotification(notification, after),
    queueSizes: () => queues.sizes(),
    planRun: (config, account) => scheduler.plan(config, account),
    announce: (release) => announcer.announce(release),
    announcedAt: (origin) => announcer.announcedAt(origin),
    hostReported: (repoId) => hostPoller.hostReported(repoId),
  };
  const runner = new ConfigRunner(ports);
  const announcer = new ReleaseAnnouncer(ports);
  const hostPoller = new HostPoller(ports);
  const registryPoller = new RegistryPoller(ports);
  const releaseNotes = new ReleaseNotesFinder(ports);

  /** Records new names of repositories, each at most once at a time. */
  function rerecorder(remote: RemoteHost): (hostId: number) => void {
    const underWay = new Set<number>();
    return (hostId) => {
      if (underWay.has(hostId)) return;
      underWay.add(hostId);
      void ports.directory
        .rerecord(remote, remote.self, hostId)
        .catch((thrown: unknown) => {
          log.warn("Cannot record a renamed repository", { reason: errorMessage(thrown) });
        })
        .finally(() => underWay.delete(hostId));
    };
  }

  async function start(): Promise<void> {
    try {
      await resume(ports, () => queues.start());
      if (store.isShared) void sweepReasons(ports, stopping.signal);
    } catch (thrown) {
      if (stopping.signal.aborted) return;
      failure = `Cannot start updates: ${errorMessage(thrown)}`;
      log.error(failure);
    }
  }

  return {
    ports,
    get failure() {
      return failure;
    },
    reconfigure: (next, nextHost) => {
      settings = next;
      if (nextHost !== host) host.close();
      host = nextHost;
      if (host instanceof RemoteHost) host.onRenamed = rerecorder(host);
      managers.refresh();
      queues.refresh();
      void scheduler.replan().catch((thrown: unknown) => {
        if (!stopping.signal.aborted && !isStoreAway(thrown))
          log.warn(`Cannot plan runs again: ${errorMessage(thrown)}`);
      });
      if (isStarted) return;
      isStarted = true;
      void start();
      void scheduler.begin();
      void registryPoller.begin();
      void watchFolder(ports);
      void hostPoller.begin();
    },
    endStreams: () => events.end(),
    stop: async () => {
      stopping.abort();
      events.end();
      scheduler.stop();
      registryPoller.stop();
      await queues.stop();
      await managers.close();
      await store.registryCache.flush();
      await events.flush();
      host.close();
    },
  };
}
