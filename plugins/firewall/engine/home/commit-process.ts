/** Runs as its own process: reads a layout, becomes the user of its home directory, and writes what `commitHome` returns. */
import { text } from "node:stream/consumers";
import { commitHome } from "./commit.js";
import { fileAttributes } from "./file-attributes.js";
import type { HomeLayout } from "./layout.js";

const layout = JSON.parse(await text(process.stdin)) as HomeLayout;
// The user may not be able to read what loads it.
await fileAttributes();
if (layout.uid !== process.geteuid?.()) {
  process.setgroups?.([layout.gid]);
  process.setgid?.(layout.gid);
  process.setuid?.(layout.uid);
}
process.stdout.write(JSON.stringify(await commitHome(layout)));
