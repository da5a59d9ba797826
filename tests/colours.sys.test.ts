/** Screens and commands name roles: what a color means. Only the table of the roles names colors. */
import { readFileSync } from "node:fs";
import test from "ava";
import { isShipped, sourceFiles } from "./source-files.js";

const NAMES =
  /["'](red|green|yellow|cyan|magenta|blue|gr[ae]y|white|black)(Bright)?["']|\bbg[A-Z]\w+Bright/;

test("no screen and no command names a colour", (t) => {
  const named = sourceFiles
    .filter((file) => /^(cli\/|plugins\/\w+\/cli\/)/.test(file) && isShipped(file))
    .filter((file) => NAMES.test(readFileSync(file, "utf8")));
  t.deepEqual(named, ["cli/plugin-api/roles.ts"]);
});
