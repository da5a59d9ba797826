/** Reports configuration that a sandboxed command changed, of the daemon or of `awf`, and commands that ended with an earlier daemon. */
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PluginContext } from "reeve/plugin";
import { UnfinishedRuns } from "../engine/unfinished-runs.js";
import { type RecordedRun, RunRecords, recordsDirectory } from "../sandbox/run-records.js";

const deepest = 4;
const mostFiles = 1000;
const mostNamed = 8;

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
