/** A configuration is read as a whole, from whatever is on disk. */ import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output } from "../../tests/support/child.js";
import { load } from "../config/load.js";
import type { PluginCatalog } from "../config/program.js";
import { catalog } from "../config/testing/catalog.js";
import { pacedClock } from "../services/testing/paced-clock.js";
import { StableWatcher } from "../watch/stable-watcher.js";
import { readConfiguration } from "./reading.js";
import { snapshotDisk, sourcesOf } from "./snapshot.js";
import { directoryWith, recordingLog } from "./testing/directory.js";

function readingOf(t: ExecutionContext, directory: string, bind: PluginCatalog = catalog) {
  const watch = new StableWatcher({
    log: recordingLog(),
    clock: pacedClock,
    quietTime: 10,
    maxBytes: 1024 ** 2,
    changed: () => undefined,
  });
  t.teardown(() => watch.close());
  const root = join(directory, "main.reeve");
  const { signal } = new AbortController();
  return readConfiguration({ root, catalog: bind, clock: pacedClock, signal }, watch);
}

test("files that change while they are read are read again, until all are of one moment", async (t) => {
  const directory = directoryWith(t, {
    "main.reeve": 'import "./a.reeve"\nimport "./b/*.reeve"\n',
    "a.reeve": 'sandbox "old" {}\n',
    "b/b.reeve": "",
  });
  let times = 0;
  // Plugins are bound between the reading of the sources and the end of the load.
  const changing: PluginCatalog = {
    bind: (...args) => {
      times += 1;
      if (times === 1) writeFileSync(join(directory, "a.reeve"), 'sandbox "new" {}\n');
      if (times === 2) writeFileSync(join(directory, "b/c.reeve"), 'sandbox "more" {}\n');
      return catalog.bind(...args);
    },
  };
  const { loaded } = await readingOf(t, directory, changing);
  t.deepEqual([...(loaded.program?.blocks.keys() ?? [])], ["sandbox.new", "sandbox.more"]);
  t.is(times, 3);
});

test("a snapshot alone gives the same program, with the same source hash and places", async (t) => {
  const directory = directoryWith(t, {
    "main.reeve":
      '\u{feff}import "./[parts]/*.reeve"\r\nlet a = file("a.txt")\r\nlet b = try(file("gone.txt"), "none")\r\n',
    "[parts]/x.reeve": 'sandbox "x" { env = { A = "1" } }\n',
    "a.txt": "content",
  });
  const { loaded, snapshot } = await readingOf(t, directory);
  t.deepEqual([...(loaded.program?.blocks.keys() ?? [])], ["sandbox.x"]);
  const again = await load(snapshot.root, { catalog, ...snapshotDisk(structuredClone(snapshot)) });
  t.is(again.program?.sourceHash, loaded.program?.sourceHash);
  for (const [name, source] of loaded.sources) t.deepEqual(sourcesOf(snapshot).get(name), source);
});

test("a pipe instead of a file is a diagnostic and blocks nothing", async (t) => {
  const directory = directoryWith(t, {
    "main.reeve": 'let a = file("pipe")\nsandbox "x" { env = { A = let.a } }\n',
  });
  output("mkfifo", [join(directory, "pipe")]);
  const { loaded } = await readingOf(t, directory);
  t.is(loaded.program, undefined);
  t.regex(loaded.diagnostics[0]?.message ?? "", /regular file/);
});
