/** Plugins as a table. */
import type { PluginStatus } from "../../daemon/http/control/api.js";
import type { Channel } from "../output.js";
import { stateStyle, stateWord } from "./screen.js";
import type { TableColumn } from "./table.js";
import { duration, relative, size } from "./units.js";

/** `now` is the daemon's clock. */
export function pluginColumns(
  channel: Channel,
  now: number,
): ReadonlyArray<TableColumn<PluginStatus>> {
  const painted = (state: (plugin: PluginStatus) => string) => ({
    cell: (plugin: PluginStatus) => stateWord(state(plugin)),
    paint: (text: string, plugin: PluginStatus) => channel.paint(stateStyle(state(plugin)), text),
  });
  return [
    { title: "PLUGIN", cell: ({ id }) => id, shrink: 8 },
    { title: "STATE", ...painted(({ state }) => state) },
    { title: "HEALTH", ...painted(({ health }) => health.state), priority: 1 },
    { title: "BLOCKS", cell: ({ blocks }) => String(blocks), align: "right", priority: 3 },
    { title: "RESTARTS", cell: ({ restarts }) => String(restarts), align: "right", priority: 4 },
    { title: "ISOLATION", cell: isolation, priority: 5 },
    { title: "SINCE", cell: ({ since }) => duration(now - since), align: "right", priority: 6 },
    { title: "VERSION", cell: ({ version }) => version ?? "", priority: 7 },
    { title: "TROUBLE", cell: (plugin) => trouble(plugin, now), shrink: 16, priority: 2 },
  ];
}

function isolation({ isolation, pid, heap }: PluginStatus): string {
  const more = [
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(heap === undefined ? [] : [size(heap)]),
  ];
  return more.length === 0 ? isolation : `${isolation} (${more.join(", ")})`;
}

/** What is wrong now; an old failure of a plugin that is well again is not. */
function trouble({ state, health, failure, retryAt }: PluginStatus, now: number): string {
  if (health.state !== "healthy" && health.reason !== undefined) return health.reason;
  if (state !== "backoff" && state !== "quarantined") return "";
  const next = retryAt === undefined ? "" : `; next start ${relative(retryAt, now)}`;
  return failure === undefined ? next.slice(2) : `${failure.reason}${next}`;
}
