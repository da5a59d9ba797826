import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { output } from "./child.js";
import { folder } from "./folder.js";

/** Root may do everything, unless the kernel holds it to the permissions of files. */
const held =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];

test("directories without permission to write or list are removed with what is in them", (t) => {
  const directory = join(folder(t, { "tree/a/b/file": "", "tree/c/file": "" }), "tree");
  mkdirSync(join(directory, "a/b/closed"));
  for (const [path, mode] of [
    ["a/b/closed", 0o000],
    ["a/b", 0o500],
    ["a", 0o500],
    ["c", 0o111],
  ] as const)
    chmodSync(join(directory, path), mode);
  const module = new URL("remove.js", import.meta.url).href;
  const script = `import { remove } from ${JSON.stringify(module)}; remove(${JSON.stringify(directory)});`;
  const [file = "", ...args] = [...held, process.execPath, "--input-type=module", "-e", script];
  output(file, args);
  t.false(existsSync(directory));
});
