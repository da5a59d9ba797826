/** Plugins as people read them. */
import type { PluginStatus } from "../../daemon/http/control/api.js";
import type { Argument } from "../plugin-api/command.js";
import { Exit, type ExitCode } from "../plugin-api/exit.js";
import type { Channel, Output } from "../plugin-api/output.js";
import { type Pair, paintedState, stateStyle, stateWord } from "./layout.js";
import type { TableColumn } from "./table.js";
import { oneLine } from "./text.js";
import { duration, relative, size } from "./units.js";

/** `now` is the daemon's clock. */
export function pluginColumns(
  channel: Pick<Channel, "paint">,
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
    { title: "TROUBLE", cell: (plugin) => failureText(plugin, now), shrink: 16, priority: 2 },
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
function failureText({ state, health, failure, retryAt }: PluginStatus, now: number): string {
  if (health.state !== "healthy" && health.reason !== undefined) return health.reason;
  if (state !== "backoff" && state !== "quarantined") return "";
  const next = retryAt === undefined ? "" : `; next start ${relative(retryAt, now)}`;
  return failure === undefined ? next.slice(2) : `${failure.reason}${next}`;
}

/** The argument of commands about one plugin. */
export const pluginArgument: Argument = {
  name: "ID",
  summary: "the plugin, as `reeve plugin list` names it",
  required: true,
};

/** What became of one plugin that was asked to start again. */
export function showPlugin(plugin: PluginStatus, json: boolean, output: Output): ExitCode {
  const { id, state, health } = plugin;
  const isDown = state === "quarantined" || state === "backoff" || state === "stopped";
  const reason = health.reason ?? (isDown ? plugin.failure?.reason : undefined);
  if (json) output.json(plugin);
  else {
    const why = reason === undefined ? "" : `: ${oneLine(reason)}`;
    output.out.line(`${oneLine(id)} is ${paintedState(output.out, state)}${why}`);
  }
  return isDown || health.state === "failed" ? Exit.findings : Exit.ok;
}

/** Each permission that is asked for, with what it is for. */
export function permissionTexts(permissions: PluginStatus["permissions"]): readonly Pair[] {
  const pairs = Object.entries(permissions)
    .filter(([, given]) => given === true || given.length > 0)
    .map(([name, given]: [string, true | readonly string[]]): Pair => {
      const what = given === true ? "anything" : given.map(oneLine).join(", ");
      return [PERMISSIONS[name] ?? oneLine(name), what];
    });
  return pairs.length === 0 ? [["may", "do nothing outside of itself"]] : pairs;
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  net: "connects to",
  exec: "runs",
  read: "reads",
  write: "writes",
  listen: "listens on",
  env: "environment",
};
