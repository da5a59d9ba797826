/** What a daemon is made of, by the names the container knows it under. */
import type { InjectionToken } from "tsyringe";
import type { Catalog } from "../catalog/catalog.js";
import type { PluginHost } from "../host/contract.js";
import type { Listeners } from "../http/contract.js";
import type { Control } from "../http/control/control.js";
import type { Mounts } from "../http/control/mounts.js";
import type { Files } from "../plugin-api/files.js";
import type { StartableReloader } from "../reload/reloader.js";
import type { DaemonServices } from "../services/contract.js";
import type { Notifier } from "../systemd/notify.js";

const token = <Part>(name: string): InjectionToken<Part> => Symbol(name);

export const Token = {
  kit: token<DaemonServices>("kit"),
  notifier: token<Notifier>("notifier"),
  catalog: token<Catalog>("catalog"),
  files: token<Files & { close(): Promise<void> }>("files"),
  listeners: token<Listeners>("listeners"),
  mounts: token<Mounts>("mounts"),
  host: token<PluginHost>("host"),
  reloader: token<StartableReloader>("reloader"),
  control: token<Control>("control"),
} as const;
