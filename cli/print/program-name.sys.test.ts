import { join } from "node:path";
import test from "ava";
import { folder } from "../testing/reeve.js";
import { programName } from "./program-name.js";

test("it is `npx reeve` only where npm runs it and no shell finds it", (t) => {
  const there = folder(t, { "bin/reeve": "", "node_modules/.bin/reeve": "" });
  const local = join(there, "node_modules/.bin");
  t.is(programName({ PATH: "/nowhere" }), "reeve");
  t.is(programName({ PATH: local, npm_command: "exec" }), "npx reeve");
  t.is(programName({ PATH: `${local}:${there}/bin`, npm_command: "exec" }), "reeve");
  t.is(programName({ npm_command: "start" }), "npx reeve");
});
