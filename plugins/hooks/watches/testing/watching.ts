/** `watch` blocks with real files, for their tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExecutionContext } from "ava";
import type { PluginDefinition, RunRecord } from "reeve/plugin";
import { type PluginUnderTest, testPlugin } from "reeve/testing";
import type { FileChange } from "../../blocks/watch.js";
import type { WatchSummary } from "../../evidence/api.js";

const MODULE = new URL("../../plugin.js", import.meta.url);

export interface Watching {
  readonly plugin: PluginUnderTest;
  path(name: string): string;
  /** At once: nothing sees the file before it has its text. */
  write(name: string, text?: string): void;
  /** Runs that have ended, oldest first, as soon as there are so many. */
  ended(count: number): Promise<readonly RunRecord[]>;
  /** What the command of each ended run has read on its standard input, with relative paths. */
  seen(count: number): Promise<ReadonlyArray<readonly FileChange[]>>;
  summary(): Promise<WatchSummary>;
  /** Waits until the watch knows so many files. */
  knows(files: number): Promise<void>;
}

export async function started(
  t: ExecutionContext,
  config: string,
  files: Readonly<Record<string, string>> = { "src/a.scss": "a" },
  subject: URL | PluginDefinition = MODULE,
): Promise<Watching> {
  t.timeout(90_000);
  const plugin = await testPlugin(subject, { config, files });
  t.teardown(() => plugin.stop());
  const path = (name: string): string => join(plugin.folder, name);
  const summary = async (): Promise<WatchSummary> =>
    JSON.parse((await plugin.control({ url: "/v1/hooks/watches" })).body).watches[0];
  const all = async () =>
    (await plugin.runs({ kind: "watch" }))
      .filter(({ finishedAt }) => finishedAt !== undefined)
      .toReversed();
  const ended = async (count: number) => {
    await plugin.until(async () => (await all()).length >= count, `${count} runs to end`);
    return all();
  };
  const knows = (files: number) =>
    plugin.until(async () => (await summary()).files === files, `${files} files to be known`);
  await plugin.until(async () => (await summary()).files !== undefined, "the files to be known");
  return {
    plugin,
    path,
    summary,
    ended,
    knows,
    write(name, text = `${Math.random()}`) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    async seen(count) {
      const runs = await ended(count);
      return Promise.all(
        runs.map(async ({ id }) => {
          const text = (await plugin.run(id))?.output?.text ?? "[]";
          return (JSON.parse(text) as FileChange[]).map((change) => ({
            ...change,
            path: change.path.slice(plugin.folder.length + 1),
          }));
        }),
      );
    },
  };
}
