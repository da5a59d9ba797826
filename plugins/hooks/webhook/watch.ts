/** `-hotreload`: watches the hooks files like a daemon watches its configuration. */
import { resolve } from "node:path";
import type { WebhookLog } from "./log.js";
import type { HookTable } from "./table.js";

/** Waits until renames, swapped links and writes are over, and reads each stable file once. */
export async function watchHooks(
  paths: readonly string[],
  table: HookTable,
  log: WebhookLog,
): Promise<{ close(): Promise<void> }> {
  const files = log.host.openFiles();
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
