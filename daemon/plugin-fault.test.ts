import { pathToFileURL } from "node:url";
import test from "ava";
import { ReeveError } from "./errors.js";
import { addPluginCode, faultMessage, withPosition } from "./plugin-fault.js";

addPluginCode(pathToFileURL("/srv/my code/plugin.js").href);
addPluginCode(pathToFileURL("/srv/node_modules/@a/b/dist/index.js").href);

const thrown = (...frames: readonly string[]): Error => {
  const error = new Error("Boom.");
  error.stack = ["Error: Boom.", ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return error;
};

const cases: ReadonlyArray<readonly [string, unknown, string]> = [
  [
    "the first frame of the plugin's own code",
    thrown(
      "node:internal/timers:1:2",
      "dep (file:///srv/my%20code/node_modules/dep/a.js:1:1)",
      "async Object.setup (file:///srv/my%20code/plugin.js?code=abc:3:9)",
      "other (/srv/my code/other.js:1:1)",
    ),
    "Boom (at /srv/my code/plugin.js:3:9 in setup)",
  ],
  [
    "a frame without a function",
    thrown("Object.<anonymous> (node:x:1:1)", "async file:///srv/my%20code/lib/x.js:7:1"),
    "Boom (at /srv/my code/lib/x.js:7:1)",
  ],
  [
    "code of an installed package",
    thrown(
      "new Thing (/srv/node_modules/dep/x.js:1:1)",
      "f (/srv/node_modules/@a/b/lib/y.cjs:2:3)",
    ),
    "Boom (at /srv/node_modules/@a/b/lib/y.cjs:2:3 in f)",
  ],
  ["no frame of a plugin", thrown("f (/srv/else/x.js:1:1)"), "Boom."],
  ["an error of the contract", new ReeveError("no_service", "There is none."), "There is none."],
  ["what is no error", "text", "text"],
  [
    "a position from another thread",
    withPosition(new Error("Boom."), "at /p.js:1:1"),
    "Boom (at /p.js:1:1)",
  ],
];
for (const [name, error, text] of cases) test(name, (t) => t.is(faultMessage(error), text));

test("an error in the syntax has its file, line and column", (t) => {
  const error = new SyntaxError("Unexpected token ';'");
  error.stack =
    "file:///p/a.js:2\nconst a = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n    at x";
  t.is(faultMessage(error), "Unexpected token ';' (at /p/a.js:2:11)");
  error.stack = "/p/b.ts:2\nfunction f( {\n\nSyntaxError [ERR_X]: Unexpected token\n    at x";
  t.is(faultMessage(error), "Unexpected token ';' (at /p/b.ts:2)");
});
