/** `reeve events`: the event stream of the daemon. */
import { matchesGlob } from "node:path";
import type { DaemonEvent, EventLine } from "../../daemon/http/control/api.js";
import { type Control, connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { watch } from "../control/watch.js";
import { type Call, count, defineCommand, flag, texts } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { streamNotices } from "../print/stream-notices.js";
import { oneLine } from "../print/text.js";
import { absolute } from "../print/units.js";

/** Past events without --since. */
const BACK = 1000;

const options = {
  since: count("N", "start after the event with this number"),
  type: texts("PATTERN", "only events of this type, for example `config.*`; may be given again"),
  noFollow: flag("print past events and exit"),
  ...controlOptions,
};

export const command = defineCommand({
  description:
    "Prints new events until it is interrupted, and reconnects when the connection breaks. With --since or " +
    "--no-follow it starts with past events; the daemon keeps the last few thousand. " +
    "With --json: one `DaemonEvent` of the control API a line (sequence, at, type, plugin, data).",
  options,
  examples: [
    { command: "reeve events", does: "prints new events" },
    { command: "reeve events --type 'run.*'", does: "prints only events of runs" },
    {
      command: "reeve events --no-follow --json",
      does: "prints the last 1000 events for a program",
    },
    { command: "reeve events --since 1200", does: "continues after a known event" },
  ],
  exits: controlExits,
  async run(call) {
    const control = connect(call.options);
    const show = shower(call);
    if (call.options.noFollow) await past(control, call, show);
    else await onwards(control, call, show);
    return Exit.ok;
  },
});

type EventsCall = Call<typeof options>;
type Show = (event: DaemonEvent) => void;

async function onwards(control: Control, call: EventsCall, show: Show): Promise<void> {
  const { options, output, signal } = call;
  const remark = streamNotices(output.err);
  for await (const line of watch(control, { since: options.since, signal })) {
    remark(line);
    if (line.line === "event") show(line);
  }
}

async function past(control: Control, call: EventsCall, show: Show): Promise<void> {
  const { options, output, signal } = call;
  const newest = await newestOf(control, signal);
  const since = options.since ?? Math.max(0, newest - BACK);
  if (since >= newest) return;
  for await (const line of control.events({ since }, signal)) {
    if (line.line === "event") show(line);
    if (line.line === "snapshot") {
      const missing = `events after number ${since} are no longer kept`;
      output.err.line(`# ${missing}; the newest is number ${line.sequence}`);
    }
    if (line.sequence >= newest || signal.aborted) return;
  }
}

async function newestOf(control: Control, signal: AbortSignal): Promise<number> {
  for await (const line of control.events({}, signal)) return line.sequence;
  return 0;
}

function shower({ options, output }: EventsCall): Show {
  const { type: patterns, json } = options;
  return (event) => {
    if (patterns.length > 0 && !patterns.some((pattern) => matchesGlob(event.type, pattern)))
      return;
    if (json) output.out.line(JSON.stringify(bare(event)));
    else output.out.line(eventText(event, output));
  };
}

/** Without what belongs to the stream. */
function bare(event: DaemonEvent & Partial<Pick<EventLine, "line">>): DaemonEvent {
  const { line: _, ...rest } = event;
  return rest;
}

function eventText({ sequence, at, type, plugin, data }: DaemonEvent, { out }: Output): string {
  const fields = Object.entries(data)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${out.paint("dim", `${oneLine(name)}=`)}${valueText(value)}`);
  const from = plugin === undefined ? "" : out.paint("accent", `${oneLine(plugin)}/`);
  return [
    out.paint("dim", `${String(sequence).padStart(5)}  ${absolute(at, Date.now())}`),
    ` ${from}${out.paint("bold", oneLine(type))}`,
    ...fields,
  ].join(" ");
}

/** Bare where that is clear, else as JSON. */
function valueText(value: unknown): string {
  if (typeof value !== "string") return oneLine(JSON.stringify(value));
  return /^[\w./:@+-]+$/.test(value) ? value : oneLine(JSON.stringify(value));
}
