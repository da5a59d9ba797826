import { chmodSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder } from "../../../tests/support/folder.js";
import type { CommandBlock } from "../blocks/blocks.js";
import { Programs } from "./program.js";

const runs = (name: string): CommandBlock =>
  ({
    values: {
      run: [{ constant: true, evaluate: () => ({ kind: "value", value: name }) }],
      env: {},
    },
  }) as unknown as CommandBlock;

test.serial("a program is searched in the daemon's PATH as execvp(3) does", async (t) => {
  const directory = folder(t, { "first/listed": "text", "second/found": "", "second/listed": "" });
  for (const name of ["found", "listed"]) chmodSync(join(directory, "second", name), 0o755);
  chmodSync(join(directory, "first"), 0o600);
  const { PATH } = process.env;
  t.teardown(() => Object.assign(process.env, { PATH }));
  const path = (...names: string[]) => names.map((name) => join(directory, name)).join(":");
  const problem = (name: string) => new Programs(directory).problem(runs(name));

  process.env.PATH = path("first", "second");
  t.is(await problem("found"), undefined);
  t.is(await problem("listed"), undefined, "what cannot be executed is passed over");
  t.is(await problem("missing"), "there is no `missing` in the daemon's PATH");

  process.env.PATH = path("first", "nowhere");
  t.is(await problem("listed"), "there is no `listed` in the daemon's PATH");
});
