/** What a daemon is made of, by the names the container knows it under. */
import type { Catalog } from "../catalog/catalog.js";
import type { PluginHost } from "../host/contract.js";
import type { Listeners } from "../http/contract.js";
import type { ControlServer } from "../http/control/control.js";
import type { RouteMounts } from "../http/control/mounts.js";
import type { Files } from "../plugin-api/files.js";
import type { StartableReloader } from "../reload/contract.js";
import type { DaemonServices } from "../services/contract.js";
import { token } from "../services/inject.js";
import type { ConfigurationSource } from "../source/source.js";
import type { Notifier } from "../systemd/notify.js";

export const DaemonToken = {
  kit: token<DaemonServices>("kit"),
  notifier: token<Notifier>("notifier"),
  catalog: token<Catalog>("catalog"),
  files: token<Files & { close(): Promise<void> }>("files"),
  listeners: token<Listeners>("listeners"),
  mounts: token<RouteMounts>("mounts"),
  host: token<PluginHost>("host"),
  reloader: token<StartableReloader>("reloader"),
  source: token<{ readonly source: ConfigurationSource | undefined }>("source"),
  control: token<ControlServer>("control"),
} as const;
