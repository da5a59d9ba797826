/** `awf recover`: what killed runs changed in the home directory, which waits to be taken over. */
import { type KilledRun, UnfinishedRuns } from "../engine/unfinished-runs.js";
import { FirewallError } from "../errors.js";
import { RunRecords, recordsDirectory } from "../sandbox/run-records.js";
import { Messages } from "./messages.js";
import { listed, printable, reportCommit, utc } from "./report-changes.js";

const usage = `Usage: awf recover [<run> [--discard] [--force]] [--state <directory>] [--json]

Lists runs that were killed before their changes to the home directory were taken over, or takes those of one over.

  --discard            remove the changes instead
  --force              also if the run may still run, on another machine or in a container
  --state <directory>  the runs of a daemon, as its log names it
`;

interface RecoverOptions {
  readonly id: string | undefined;
  readonly discards: boolean;
  readonly isForced: boolean;
  readonly state: string | undefined;
  readonly json: boolean;
}

/** Runs `awf recover …` with the arguments after `recover`. Returns the exit code. */
export async function recoverCommand(argv: readonly string[]): Promise<number> {
  if (argv.includes("-h") || argv.includes("--help")) {
    process.stdout.write(usage);
    return 0;
  }
  const options = optionsOf(argv);
  if (options === undefined) {
    process.stderr.write(usage);
    return 1;
  }
  const messages = new Messages("info", { json: options.json });
  try {
    const runs = runsOf(options.state);
    const left = runs?.left() ?? [];
    if (runs === undefined || options.id === undefined) return list(left, options.json);
    const found = left.find(({ id }) => id === options.id);
    if (found === undefined) throw unknown(options.id);
    return await recover(runs, found, options, messages);
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    messages.error(thrown.message);
    return 1;
  }
}

function optionsOf(argv: readonly string[]): RecoverOptions | undefined {
  const words = [...argv];
  const has = (flag: string): boolean => {
    const at = words.indexOf(flag);
    if (at >= 0) words.splice(at, 1);
    return at >= 0;
  };
  const [discards, isForced, json] = [has("--discard"), has("--force"), has("--json")];
  const at = words.indexOf("--state");
  const [, state] = at < 0 ? [] : words.splice(at, 2);
  const [id, ...rest] = words;
  if (rest.length > 0 || id?.startsWith("-") || (at >= 0 && state === undefined)) return undefined;
  if (id === undefined && (discards || isForced)) return undefined;
  return { id, discards, isForced, state, json };
}

/** @throws {FirewallError} `state_not_private` */
function runsOf(state: string | undefined): UnfinishedRuns | undefined {
  if (state !== undefined) return UnfinishedRuns.at(state);
  return UnfinishedRuns.below(new RunRecords(recordsDirectory()).directory);
}

function list(left: readonly KilledRun[], json: boolean): number {
  if (json) process.stdout.write(`${JSON.stringify({ runs: left }, undefined, 2)}\n`);
  else if (left.length === 0) process.stderr.write("No run waits.\n");
  for (const { id, since, label, state, changed } of json ? [] : left) {
    const where = state === "unknown" ? "  may still run elsewhere" : "";
    process.stdout.write(
      `${id}  ${utc(since)}  ${printable(label)}${where}\n    ${listed(changed)}\n`,
    );
  }
  return 0;
}

/** @throws {FirewallError} `run_may_continue`, `unknown_run` */
async function recover(
  runs: UnfinishedRuns,
  { id, state }: KilledRun,
  { discards, isForced }: RecoverOptions,
  messages: Messages,
): Promise<number> {
  if (state === "unknown" && !isForced)
    throw new FirewallError(
      "run_may_continue",
      `The run ${id} was started on another machine or in a container and may still run there. With --force its changes are taken over all the same`,
    );
  if (discards) {
    runs.discard(id);
    return 0;
  }
  const commit = await runs.commit(id);
  if (commit === undefined) throw unknown(id);
  reportCommit(messages, commit, false);
  if (!commit.isComplete) messages.error("Some changes could not be written and are kept");
  return commit.isComplete ? 0 : 1;
}

const unknown = (id: string): FirewallError =>
  new FirewallError(
    "unknown_run",
    `There is no killed run ${printable(id)} with changes. awf recover lists them`,
  );
