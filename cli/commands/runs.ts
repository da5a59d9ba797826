/** `reeve runs`: runs and their output. */
import type { RunList, RunQuery, RunRecord, RunSummary } from "../../daemon/http/control/api.js";
import { type Control, connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { type Call, choice, count, defineCommand, flag, text } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { followRun, followRuns } from "../print/follow-runs.js";
import { writeTable } from "../print/layout.js";
import { runColumns, runStates, showOutput, showRun } from "../print/runs.js";

const options = {
  hook: text("NAME", "only this hook"),
  kind: text("KIND", "only this kind: hook, sandbox, update"),
  state: choice(runStates, "only in this state"),
  host: text("NAME", "only this daemon, where several share a store"),
  limit: count("N", "at most this many", { fallback: 20 }),
  before: text("ID", "only runs older than this"),
  trace: text("ID", "only this run and those that followed it, of the newest 1000"),
  follow: flag("follow: with an ID until that run ends, else until interrupted", { short: "f" }),
  format: choice(["text", "html"], "a table, or a page in one file", { fallback: "text" }),
  ...controlOptions,
};

export const command = defineCommand({
  description:
    "Without an ID: the newest runs. With one: its details and output. " +
    "With --json: the `RunList`, or the `RunRecord`, of the control API; with --follow one run a line.",
  arguments: [
    {
      name: "ID",
      summary: "the id of a run",
      complete: async (daemon) => (await daemon.runs()).runs.map(({ id }) => id),
    },
  ],
  options,
  examples: [
    { command: "reeve runs", does: "lists the newest runs" },
    { command: "reeve runs --hook deploy --state failed", does: "lists failures of one hook" },
    { command: "reeve runs --host web-2", does: "lists runs of another host" },
    { command: "reeve runs 06jz4x8w2h0000tq4c1p", does: "shows one run with its output" },
    { command: "reeve runs --limit 200 --format html > runs.html", does: "writes a page" },
    { command: "reeve runs --follow", does: "prints runs as they start and end" },
  ],
  exits: { [Exit.findings]: "there is no such run", ...controlExits },
  async run(call) {
    const [id] = call.arguments;
    const { format, follow, json } = call.options;
    if (format === "html" && (id !== undefined || follow || json)) {
      throw new Failure(Exit.usage, "--format html is for a list of runs", {
        help: "Leave out the ID, --follow and --json.",
      });
    }
    const control = connect(call.options);
    await (id === undefined ? listed(control, call) : single(control, id, call));
    return Exit.ok;
  },
});

type RunsCall = Call<typeof options>;

async function listed(control: Control, { options, output, signal }: RunsCall): Promise<void> {
  const query = queryOf(options);
  if (options.follow) return followRuns(control, query, { json: options.json, output, signal });
  const list =
    options.trace === undefined
      ? await control.runs(query)
      : await chainOf(control, query, options.trace);
  if (options.json) return output.json(list);
  if (list.unseen !== undefined) output.err.line(list.unseen);
  if (options.format === "html") {
    const { runsPage } = await import("../print/runs-page.js");
    return output.out.write(runsPage(list.runs, Date.now()));
  }
  if (list.runs.length === 0) return output.err.line("No runs.");
  writeTable(output.out, runColumns(output.out, Date.now(), list.runs), list.runs);
  if (list.next !== undefined && output.out.isTerminal) {
    output.err.line(`Older runs: --before ${list.next}`);
  }
}

/** The runs of a chain; their `detail` names its first run. */
async function chainOf(control: Control, query: RunQuery, first: string): Promise<RunList> {
  const { runs } = await control.runs({ ...query, limit: 1000 });
  const traceOf = ({ detail }: RunSummary) =>
    (detail as { readonly trace?: unknown } | null)?.trace;
  return { runs: runs.filter((run) => run.id === first || traceOf(run) === first) };
}

function queryOf({ hook, kind, state, host, limit, before }: RunsCall["options"]): RunQuery {
  if (limit < 1 || limit > 1000) {
    throw new Failure(Exit.usage, "--limit is a number from 1 to 1000");
  }
  return {
    ...(hook !== undefined && { subject: hook.startsWith("hook.") ? hook : `hook.${hook}` }),
    ...(kind !== undefined && { kind }),
    ...(state !== undefined && { state }),
    ...(host !== undefined && { host }),
    ...(before !== undefined && { before }),
    limit,
  };
}

async function single(control: Control, id: string, call: RunsCall): Promise<void> {
  const { options, output, signal } = call;
  const run: RunRecord = await control.run(id);
  if (options.follow) return followRun(control, run, { json: options.json, output, signal });
  if (options.json) return output.json(run);
  showRun(output.out, run, Date.now());
  showOutput(output.out, run);
}
