/** `-hotreload`: the hooks files are watched like a daemon watches its configuration. */
import { resolve } from "node:path";
import { realClock } from "../../daemon/services/clock.js";
import { createFileService } from "../../daemon/watch/files.js";
import type { WebhookLog } from "./log.js";
import type { HookTable } from "./table.js";

/** Renames, swapped links and files that are still being written are waited out; a settled file is read once. */
export async function watchHooks(
  paths: readonly string[],
  table: HookTable,
  log: WebhookLog,
): Promise<{ close(): Promise<void> }> {
  const nothing = (): void => undefined;
  const silent = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    child: () => silent,
  };
  const files = createFileService({ log: silent, clock: realClock });
  const written = new Map(paths.map((path) => [resolve(path), path]));
  const seen = new Map<string, string>();
  let first = true;
  for (const path of paths) log.say(`setting up file watcher for ${path}`);
  await files.watch([...written.keys()], {}, (set) => {
    for (const { path, hash, error } of set.files) {
      const name = written.get(path) ?? path;
      const state = error ?? hash;
      if (seen.get(path) === state) continue;
      seen.set(path, state);
      if (first) continue;
      if (error === "not found") {
        log.say(`hooks file ${name} removed`);
        table.drop(name);
      } else {
        log.say(`hooks file ${name} modified`);
        table.load(name);
      }
    }
    first = false;
  });
  return files;
}
