/** Reports configuration that a sandboxed command changed, of the daemon or of `awf`. */
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PluginContext } from "reeve/plugin";
import { type RecordedRun, RunRecords, recordsDirectory } from "../sandbox/run-records.js";

const deepest = 4;
const mostFiles = 1000;

export class EarlierChanges {
  readonly #context: PluginContext;
  readonly #records: RunRecords;
  readonly #reported = new Set<string>();

  constructor(context: PluginContext) {
    this.#context = context;
    const ofCommands = recordsDirectory();
    this.#records = new RunRecords(
      join(context.directories.state, "runs"),
      ofCommands === undefined ? [] : [ofCommands],
    );
  }

  begin(run: RecordedRun): ReturnType<RunRecords["begin"]> {
    return this.#records.begin(run);
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
