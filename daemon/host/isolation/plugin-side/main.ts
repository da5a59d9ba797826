/** Entry of a worker or process that runs one plugin; the host provides its context. */
import type { PluginContext } from "../../../plugin-api/context.js";
import { daemonPort } from "../daemon-port.js";
import type { HostMethods, PluginMethods } from "../methods.js";
import { Peer, type PeerMessage, type Port } from "../peer.js";
import { createClock } from "./clock.js";
import { Databases } from "./database.js";
import { RemoteHttp } from "./http.js";
import { PluginLifecycle } from "./lifecycle.js";
import { createJobs, createMap, createRuns } from "./storage.js";
import { createFiles, createProcesses, RemoteServices } from "./system.js";
import { createEvents, createLog, RemoteMetrics } from "./telemetry.js";
import { usage } from "./usage.js";

const daemon = daemonPort();
/** What was measured for a call is known when the caller has the answer. */
const port: Port = {
  send(message) {
    const kind = (message as PeerMessage).do;
    if (kind === "answer" || kind === "refuse") metrics.flush();
    daemon.send(message);
  },
  receive: (listener) => daemon.receive(listener),
};

const host = new Peer<HostMethods, PluginMethods>(port, {
  async setup({ module, host: name, directories, services: directory, now }) {
    services.learn(directory);
    clock.set(now);
    await life.setup(module, (id) => {
      http = new RemoteHttp(host, id, log);
      const context: PluginContext = {
        id,
        host: name,
        log,
        events: createEvents(host),
        metrics: metrics.api,
        store: {
          map: (name) => createMap(host, name),
          database: (migrations) => databases.open(migrations),
        },
        jobs: jobs.api,
        runs: createRuns(host),
        http,
        files: files.api,
        processes: processes.api,
        services,
        clock: clock.api,
        directories,
        signal: gone.signal,
      };
      return context;
    });
  },
  prepare: (part, signal) => life.prepare(part, signal),
  commit: (attempt) => life.commit(attempt),
  abort: (attempt) => life.abort(attempt),
  release: (attempt) => life.release(attempt),
  async stop(reason, signal) {
    try {
      await life.plugin.stop?.(reason, signal);
    } finally {
      gone.abort();
    }
  },
  health: async () => (await life.plugin.health?.()) ?? { state: "healthy" },
  panels: async () => (await life.plugin.panels?.()) ?? [],
  secret: (reference, signal) => life.secret(reference, signal),
  usage,
  ping: () => undefined,
  services: (directory) => services.learn(directory),
  service: (call) => services.answer(call),
  job: (job, signal) => jobs.work(job, signal),
  output: (chunk) => processes.output(chunk),
  files: (set) => files.changed(set),
  migrate: ({ name, database, dialect }) => databases.migrate(name, { database, dialect }),
  request: async (request, signal) => {
    if (http) return http.request(request, signal);
    throw new Error("The plugin has no server.");
  },
  body: ({ exchange, data }) => http?.body(exchange, data),
  closeServer: (server) => http?.closeServer(server),
});

const gone = new AbortController();
const log = createLog(host);
const metrics = new RemoteMetrics(host);
const life = new PluginLifecycle(host);
const services = new RemoteServices(host);
const clock = createClock(host);
const databases = new Databases(host);
const jobs = createJobs(host);
const files = createFiles(host);
const processes = createProcesses(host);
let http: RemoteHttp | undefined;
