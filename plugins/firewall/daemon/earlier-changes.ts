/** Reports configuration that a sandboxed command changed, of the daemon or of `awf`, and commands that ended with an earlier daemon. */
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PluginContext } from "reeve/plugin";
import { UnfinishedRuns } from "../engine/unfinished-runs.js";
import type { LaunchCommit } from "../sandbox/launch.js";
import { type RecordedRun, RunRecords, recordsDirectory } from "../sandbox/run-records.js";

const deepest = 4;
const mostFiles = 1000;
const mostNamed = 8;

type Log = PluginContext["log"];

export class EarlierChanges {
  readonly #context: PluginContext;
  readonly #records: RunRecords;
  readonly #reported = new Set<string>();
  /** Undefined if its directory cannot be made. */
  readonly unfinished: UnfinishedRuns | undefined;

  constructor(context: PluginContext) {
    this.#context = context;
    this.unfinished = UnfinishedRuns.below(context.directories.state);
    const ofCommands = recordsDirectory();
    this.#records = new RunRecords(
      join(context.directories.state, "runs"),
      ofCommands === undefined ? [] : [ofCommands],
    );
  }

  begin(run: RecordedRun): ReturnType<RunRecords["begin"]> {
    return this.#records.begin(run);
  }

  /** Logs what commands changed that were killed with an earlier daemon. */
  reportLeft(): void {
    const { log, directories } = this.#context;
    for (const { id, label, since, state, changed } of this.unfinished?.left() ?? []) {
      if (state !== "ended") continue;
      log.warn("A command was killed with the daemon; its changes to files are kept apart", {
        command: label,
        since: new Date(since).toISOString(),
        files: changed.slice(0, mostNamed).join(", "),
        recover: `awf recover ${id} --state ${join(directories.state, "unfinished")}`,
      });
    }
  }

  /** Emits an event for each change that was not reported before. */
  report(): void {
    const { configuration } = this.#context.directories;
    if (!this.#records.mayHaveChanged(configuration)) return;
    const files = [...configurationFiles(configuration, deepest)].slice(0, mostFiles);
    for (const { path, label, since, stamp } of this.#records.changed(files)) {
      const key = `${path} ${stamp}`;
      if (this.#reported.has(key)) continue;
      this.#reported.add(key);
      this.#context.events.emit("sandbox.changed_file", { file: path, command: label, since });
    }
  }
}

/** Logs what a command wrote that the host does not have as it was written. */
export function reportCommit(log: Log, command: string, commit: LaunchCommit): void {
  const { held, heldIn, moved, problems, withoutOverlay } = commit;
  const named = (paths: readonly string[]) => ({
    command,
    files: paths.slice(0, mostNamed).join(", "),
  });
  if (withoutOverlay !== undefined)
    log.warn("The home directory was read-only, since this system cannot mount an overlay on it", {
      command,
      reason: withoutOverlay,
    });
  if (held.length > 0)
    log.warn("Files of the home directory are not kept, since programs run or trust them later", {
      ...named(held),
      ...(heldIn !== undefined && { apart: heldIn }),
    });
  if (moved.length > 0)
    log.warn(
      "Files are moved aside, since git would run them",
      named(moved.map(({ path }) => path)),
    );
  if (problems.length > 0) log.warn("Changes of a command need a look", named(problems));
}

function* configurationFiles(directory: string, depth: number): Generator<string> {
  let entries: Dirent[] = [];
  try {
    entries = readdirSync(directory, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.name.endsWith(".reeve") && !entry.isDirectory()) yield path;
    else if (entry.isDirectory() && depth > 0 && !/^(?:\.|node_modules$)/.test(entry.name))
      yield* configurationFiles(path, depth - 1);
  }
}
