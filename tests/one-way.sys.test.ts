/**
 * Tests start processes and wait in one way, that of tests/support: everything they start ends with them, and every wait has an
 * end and a sentence. A file that must do otherwise has a reason here.
 */
import { readFileSync } from "node:fs";
import test from "ava";
import { type SyntaxNode, sourceFiles, syntaxOf, walk } from "./source-files.js";

const isTest = (file: string): boolean =>
  (/\.test\.tsx?$|\/testing\/|^tests\//.test(file) && !/^tests\/support\//.test(file)) ||
  /^bench\/support\//.test(file);

const allowed: Readonly<Record<string, string>> = {
  "daemon/host/isolation/flood.sys.test.ts": "counts how often a timer fires during a flood",
  "daemon/host/testing/leaving.ts": "a program that runs as a child of a test",
  "daemon/services/clock.test.ts": "the real clock is its subject",
  "daemon/services/testing/child.ts": "a program that runs as a child of a test",
  "daemon/services/testing/paced-clock.ts": "a clock that follows the timers of the process",
  "daemon/services/testing/postgres.ts": "a server for all tests of a run outlives each of them",
  "tests/soak/main.ts": "a program that works for as long as it is told",
  "tests/soak/work.ts": "its pauses",
  "plugins/updates/testing/manager-fixture.ts": "gives managers a clock that waits",
  "plugins/firewall/security/ending.sys.test.ts":
    "signals at moments of a start, whatever it does then",
  "plugins/firewall/security/ending-docker.tool.test.ts": "the same, in containers",
};

/** Modules whose use is a process or a wait of its own. */
const MODULES = /^(node:)?(child_process|timers\/promises)$/;
const CALLS = /^(setTimeout|setInterval)$/;

/** What a file does by itself, such as `imports node:child_process`. */
function ownWays(file: string): readonly string[] {
  const found = new Set<string>();
  walk(syntaxOf(file), (node) => {
    const { type } = node;
    if (type === "ImportDeclaration" && node.importKind !== "type") {
      const { value } = node.source as { readonly value: string };
      const names = node.specifiers as ReadonlyArray<{ readonly importKind?: string }>;
      if (MODULES.test(value) && names.some(({ importKind }) => importKind !== "type"))
        found.add(`imports ${value}`);
    }
    if (type === "CallExpression") {
      const callee = node.callee as SyntaxNode;
      if (CALLS.test(String(callee.name))) found.add(`calls ${callee.name}`);
      const { object, property } = callee as unknown as Record<string, SyntaxNode | undefined>;
      if (object?.name === "realClock" && property?.name === "sleep")
        found.add("calls realClock.sleep");
    }
  });
  return [...found];
}

test("no test starts a process or waits in a way of its own", (t) => {
  const files = sourceFiles.filter(isTest);
  t.true(files.length > 500);
  // Quick to rule out.
  const suspicious = files.filter((file) =>
    /child_process|timers\/promises|setTimeout|setInterval|realClock/.test(
      readFileSync(file, "utf8"),
    ),
  );
  const found = suspicious.flatMap((file) =>
    file in allowed ? [] : ownWays(file).map((what) => `${file} ${what}`),
  );
  t.deepEqual(found, []);
  const needless = Object.keys(allowed).filter((file) => ownWays(file).length === 0);
  t.deepEqual(needless, [], "exceptions that are no longer needed");
});

test("no test lets each process build a table of all characters", (t) => {
  const found = sourceFiles.filter(
    (file) =>
      file !== "tests/support/text.ts" && /\bunit: "binary"/.test(readFileSync(file, "utf8")),
  );
  t.deepEqual(found, [], "use `anyText` of tests/support/text.ts");
});
