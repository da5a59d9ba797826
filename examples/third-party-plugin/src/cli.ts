/** What the plugin brings to `reeve`: the command `sites` and a dashboard screen. package.json lists both. */
import {
  controlExits,
  controlOptions,
  defineCli,
  defineCommand,
  duration,
  type ListColumn,
  type Screen,
  tableList,
  writeList,
} from "reeve/cli";
import type { SiteList, SiteStatus } from "./instance.js";

const columns: ReadonlyArray<ListColumn<SiteStatus>> = [
  { title: "SITE", cell: ({ site }) => site },
  { title: "STATE", cell: ({ state }) => state },
  { title: "UP", cell: ({ ratio }) => (ratio === null ? "" : `${Math.round(ratio * 100)} %`) },
  { title: "TOOK", cell: ({ took }) => (took === null ? "" : duration(took)), priority: 1 },
  { title: "REASON", cell: ({ reason }) => reason ?? "", priority: 2, shrink: 20 },
];

export const sites = defineCommand({
  description: "With --json: the same as data.",
  options: controlOptions,
  examples: [{ command: "reeve uptime sites", does: "lists the sites" }],
  exits: controlExits,
  async run(call) {
    const body = await call.control.get<SiteList>("/sites");
    return writeList(call, body, body.sites, "No sites.", columns);
  },
});

const NONE: readonly SiteStatus[] = [];

export const screen: Screen<SiteList> = {
  id: "sites",
  title: "Uptime",
  short: "Up",
  about: "watched sites and their state",
  load: (control) => control.get<SiteList>("/sites"),
  top: () => [],
  listTitle: () => "Sites",
  list: ({ data, theme, state }) => {
    const rows = data?.sites ?? NONE;
    const text = (row: SiteStatus) => `${row.site} ${row.state} ${row.reason ?? ""}`;
    return tableList({ rows, columns, id: ({ site }) => site, text, theme }, state);
  },
  empty: () => "No site is watched.",
};

export default defineCli({ commands: { sites }, screens: async () => [screen] });
