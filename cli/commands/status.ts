/** `reeve status`: the state of the daemon. */
import type { Status } from "../../daemon/http/control/api.js";
import { connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { defineCommand, flag } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import type { Channel } from "../plugin-api/output.js";
import { conditionLines } from "../print/conditions.js";
import { commitText, summaryText } from "../print/generation.js";
import { type Pair, paintedState, stateWord, writePairs, writeTable } from "../print/layout.js";
import { pluginColumns } from "../print/plugins.js";
import { oneLine } from "../print/text.js";
import { countText, duration, size, when } from "../print/units.js";

export const command = defineCommand({
  description:
    "Shows the running generation, the listeners and the state of every plugin. " +
    "With --json: the `Status` of the control API, times in milliseconds since the epoch. " +
    "With --ready: only whether the daemon is ready, as `/readyz` says; a refused edit does not count.",
  options: { ready: flag("ask only whether the daemon is ready"), ...controlOptions },
  examples: [
    { command: "reeve status", does: "shows the daemon of this user or of the host" },
    {
      command: "reeve status --json | jq .generation.number",
      does: "prints the running generation",
    },
    {
      command: "reeve status --ready",
      does: "exits with 0 if the daemon is ready, for health checks",
    },
    { command: "reeve status --control /srv/reeve.sock", does: "shows another daemon" },
  ],
  exits: {
    [Exit.findings]: "the daemon runs, but degraded, or with --ready is not ready",
    ...controlExits,
  },
  async run({ options, output }) {
    if (options.ready) {
      const readiness = await connect(options).readiness();
      if (options.json) output.json(readiness);
      else output.out.line(readiness.ready ? "ready" : "not ready");
      for (const reason of options.json ? [] : readiness.reasons) output.out.line(oneLine(reason));
      return readiness.ready ? Exit.ok : Exit.findings;
    }
    const status = await connect(options).status();
    if (options.json) output.json(status);
    else showStatus(output.out, status);
    return status.state === "degraded" ? Exit.findings : Exit.ok;
  },
});

export function showStatus(out: Channel, status: Status): void {
  const { state, pid, version, startedAt, now } = status;
  const plugins = status.plugins.filter((plugin) => plugin.state !== "discovered");
  const up = duration(now - startedAt);
  out.line(
    `${out.paint("bold", `reeve ${oneLine(version)}`)}  ${paintedState(out, state)}  pid ${pid}, up ${up}`,
  );
  if (status.degraded) {
    out.line(`${out.paint(["bold", "warn"], "degraded:")} ${oneLine(status.degraded.reason)}`);
  }
  for (const line of conditionLines(status)) out.line(line);
  out.line();
  writePairs(out, pairsOf(status));
  if (plugins.length === 0) return;
  out.line();
  writeTable(out, pluginColumns(out, now), plugins);
}

function pairsOf(status: Status): readonly Pair[] {
  const { listeners, process: own } = status;
  const { median, max } = own.loopLag;
  return [
    ["configuration", oneLine(status.root)],
    ["generation", generationText(status)],
    ["stale", status.staleSeconds > 0 ? `for ${duration(status.staleSeconds * 1000)}` : undefined],
    ...listeners.map(({ address, prefixes }, index): Pair => {
      const where = [address, ...prefixes].map(oneLine).join(" ");
      return [index === 0 ? "listening" : "", where];
    }),
    ["runs", runsText(status.runs)],
    ["database", status.database && databaseText(status.database, status.now)],
    ["memory", `${size(own.rss)}, heap ${size(own.heap)}`],
    ["event loop", `late by ${decimal(median)} ms, ${decimal(max)} ms at worst`],
    ["control", oneLine(status.control)],
    ["state", oneLine(status.stateDirectory)],
    ["node", oneLine(own.node)],
  ];
}

/** The state of the database that daemons share. */
function databaseText({ daemon, away }: NonNullable<Status["database"]>, now: number): string {
  return away === undefined
    ? `shared, this daemon is ${oneLine(daemon)}`
    : `away for ${duration(now - away.since)}: ${oneLine(away.reason)}`;
}

function generationText({ generation, now }: Status): string {
  if (generation === undefined) return "none yet";
  const { number, at, summary, git, state } = generation;
  const parts = [
    `${number}, ${when(at, now)}`,
    ...(state === "committed" ? [] : [stateWord(state)]),
    ...(git ? [`commit ${commitText(git)}`] : []),
    summaryText(summary),
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function runsText(runs: Status["runs"]): string {
  const parts = Object.entries(runs).filter(([, number]) => number > 0);
  const all = parts.reduce((sum, [, number]) => sum + number, 0);
  const each = parts.map(([state, number]) => `${number} ${stateWord(state)}`);
  return parts.length === 0 ? "none" : `${countText(all, "record")}: ${each.join(", ")}`;
}

const decimal = (number: number): string => number.toFixed(1).replace(/\.0$/, "");
