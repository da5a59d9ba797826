/** Plugins: how each lives, what it may do, what it shows; starting one afresh, releasing it from quarantine. */
import type { PluginStatus } from "../../../daemon/http/control/api.js";
import type { Screen, View } from "../../plugin-api/screen.js";
import { permissionTexts } from "../../print/plugins.js";
import { oneLine } from "../../print/text.js";
import { duration, relative, size, when } from "../../print/units.js";
import { pairs } from "../view/lines.js";
import { tableList } from "../view/list.js";
import { panelLines } from "../view/panels.js";
import { stateText, type Theme } from "../view/theme.js";
import { pluginListColumns, pluginText } from "./columns.js";
import { latestEntries } from "./entry-detail.js";

export const plugins: Screen = {
  id: "plugins",
  title: "Plugins",
  short: "Plug",
  about: "state, isolation and permissions of every plugin, and what it shows",
  keys: [
    {
      keys: ["R"],
      action: "restart",
      does: "start the chosen plugin afresh",
      changes: true,
      hint: "restart",
    },
    {
      keys: ["U"],
      action: "release",
      does: "release the chosen plugin from quarantine",
      changes: true,
      hint: "release",
    },
  ],
  top: () => [],
  listTitle: () => "Plugins",
  list: ({ model, theme, state }) =>
    tableList(
      {
        rows: model.status?.plugins ?? [],
        columns: pluginListColumns(theme, model.now),
        id: ({ id }) => id,
        text: pluginText,
        theme,
      },
      state,
    ),
  empty: () => "There are no plugins.",
  preview: pluginDetail,
  further: ({ model, theme }, id) => [
    theme.paint("bold", `Events and log of ${oneLine(id)}`),
    ...latestEntries(model, theme, ({ from }) => from === id),
  ],
  detail: pluginDetail,
  propose(view, id, action) {
    const plugin = id === undefined ? undefined : pluginOf(view, id);
    if (id === undefined || plugin === undefined) return undefined;
    if (action === "restart") {
      const question = `Start ${id} afresh? What it is doing is given up.`;
      return { question, effect: { kind: "restart", plugin: id } };
    }
    if (action !== "release") return undefined;
    if (plugin.state !== "quarantined") return `${id} is not quarantined`;
    return { question: `Start ${id} again?`, effect: { kind: "release", plugin: id } };
  },
};

function pluginDetail(view: View, id: string): readonly string[] {
  const { theme, model, width } = view;
  const plugin = pluginOf(view, id);
  if (plugin === undefined) return [theme.paint("dim", "This plugin is not there any more.")];
  const own = model.panels.find((each) => each.plugin === id)?.panels ?? [];
  const dim = (text: string) => theme.paint("dim", text);
  return [
    `${theme.paint("bold", oneLine(plugin.title))}  ${stateText(theme, plugin.state)}  ${oneLine(id)}`,
    "",
    ...pairs([...lifeOf(plugin.state, theme), ...factsOf(plugin, model.now)], dim),
    "",
    theme.paint("bold", "Permissions"),
    ...pairs(permissionTexts(plugin.permissions), dim),
    "",
    ...own.flatMap((panel) => panelLines(panel, { width, theme, now: model.now })),
  ];
}

const pluginOf = ({ model }: View, id: string): PluginStatus | undefined =>
  model.status?.plugins.find((plugin) => plugin.id === id);

/** The states that a plugin goes through, the one it is in in brackets. */
function lifeOf(state: PluginStatus["state"], theme: Theme) {
  const marked = (each: string) =>
    each === state ? theme.paint("bold", `[${each}]`) : theme.paint("dim", each);
  const alive = state === "preparing" || state === "degraded" ? state : "running";
  return [
    ["life", ["starting", alive, "stopping", "stopped"].map(marked).join(" → ")],
    ["failing", ["backoff", "quarantined"].map(marked).join(" → ")],
  ] as const;
}

function factsOf(plugin: PluginStatus, now: number) {
  const { health, failure, retryAt, heap, cpu, pid } = plugin;
  return [
    ["state", `${plugin.state} for ${duration(now - plugin.since)}`],
    ["health", health.state],
    ["reason", health.reason && oneLine(health.reason)],
    ["last failure", failure && `${oneLine(failure.reason)}, ${when(failure.at, now)}`],
    ["next start", retryAt === undefined ? undefined : relative(retryAt, now)],
    ["restarts", String(plugin.restarts)],
    ["version", plugin.version && oneLine(plugin.version)],
    ["isolation", plugin.isolation],
    ["process", pid === undefined ? undefined : `pid ${pid}`],
    ["heap", heap === undefined ? undefined : size(heap)],
    ["processor", cpu === undefined ? undefined : `${Math.round(cpu * 100)} % of a core`],
    ["blocks", String(plugin.blocks)],
  ] as const;
}
