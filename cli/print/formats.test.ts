import test from "ava";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { githubOf } from "./github.js";
import { renamed } from "./rename.js";
import { sarifOf } from "./sarif.js";

const text = "let a = 1\nlet b = a\n";
const sources = new Map([["hosts/a b.reeve", { path: "hosts/a b.reeve", text }]]);
const file = "hosts/a b.reeve";
const location = { file, start: 18, end: 19 };

const diagnostic: Diagnostic = {
  code: "E201",
  severity: "error",
  message: "100% wrong: `a`, twice",
  location: location,
  label: "write `let.a`",
  notes: ["one", "two"],
  fix: { title: "write `let.a`", edits: [{ ...location, text: "let.a" }] },
  related: [{ location: { file, start: 4, end: 5 }, message: "defined here" }],
  trace: [{ description: "`for x in y`", location: { file, start: 0, end: 9 } }],
};

test("a workflow command keeps its line, whatever the words", (t) => {
  t.is(
    githubOf([diagnostic], sources),
    "::error file=hosts/a b.reeve,line=2,endLine=2,col=9,endColumn=10,title=reeve E201::" +
      "100%25 wrong: `a`, twice%0Awrite `let.a`%0Aone%0Atwo\n",
  );
});

test("properties of a workflow command cannot be ended by a file's name", (t) => {
  const odd = "a,title=x::y%\n.reeve";
  const line = githubOf(
    [{ ...diagnostic, location: { file: odd, start: 0, end: 1 } }],
    new Map([[odd, { path: odd, text }]]),
  );
  t.true(line.startsWith("::error file=a%2Ctitle=x%3A%3Ay%25%0A.reeve,line=1,"), line);
});

const severities = test.macro<[Diagnostic["severity"], string, "error" | "warning" | "note"]>({
  exec(t, severity, command, level) {
    const one = { code: "x", severity, message: "m" };
    t.is(githubOf([one], sources), `::${command} title=reeve x::m\n`);
    const { runs } = sarifOf([one], sources, { directory: "/srv", version: "1.0.0" });
    t.is(runs[0]?.results?.[0]?.level, level);
    t.is(runs[0]?.results?.[0]?.locations, undefined);
  },
  title: (_, severity) => `a diagnostic of severity ${severity}, without a place`,
});
test(severities, "error", "error", "error");
test(severities, "warning", "warning", "warning");
test(severities, "info", "notice", "note");

test("a place over several lines has no columns in a workflow command", (t) => {
  const wide = { ...diagnostic, location: { file, start: 4, end: 14 } };
  t.regex(githubOf([wide], sources), /^::error file=hosts\/a b\.reeve,line=1,endLine=2,title=/);
});

test("SARIF has the rule, the region, the fix and the other places", (t) => {
  const log = sarifOf([diagnostic, diagnostic], sources, {
    directory: "/srv/x y",
    version: "1.2.3",
  });
  const [run] = log.runs;
  t.is(log.version, "2.1.0");
  t.deepEqual(run?.originalUriBaseIds, { ROOT: { uri: "file:///srv/x%20y/" } });
  t.is(run?.tool.driver.semanticVersion, "1.2.3");
  t.deepEqual(
    run?.tool.driver.rules?.map(({ id }) => id),
    ["E201"],
  );
  t.truthy(run?.tool.driver.rules?.[0]?.fullDescription?.text);
  const artifactLocation = { uri: "hosts/a%20b.reeve", uriBaseId: "ROOT" };
  const region = {
    startLine: 2,
    startColumn: 9,
    endLine: 2,
    endColumn: 10,
    charOffset: 18,
    charLength: 1,
  };
  t.like(run?.results?.[1], {
    ruleId: "E201",
    ruleIndex: 0,
    level: "error",
    message: { text: "100% wrong: `a`, twice\nwrite `let.a`\none\ntwo" },
    locations: [{ physicalLocation: { artifactLocation, region } }],
    fixes: [
      {
        description: { text: "write `let.a`" },
        artifactChanges: [
          {
            artifactLocation,
            replacements: [{ deletedRegion: region, insertedContent: { text: "let.a" } }],
          },
        ],
      },
    ],
  });
  t.deepEqual(
    run?.results?.[0]?.relatedLocations?.map(({ id, message }) => [id, message?.text]),
    [
      [0, "defined here"],
      [1, "expanded from `for x in y`"],
    ],
  );
});

test("a file that is named by its whole path keeps it in SARIF", (t) => {
  const path = "/etc/ö.reeve";
  const log = sarifOf(
    [{ ...diagnostic, location: { file: path, start: 0, end: 1 } }],
    new Map([[path, { path, text }]]),
    { directory: "/srv", version: "1.2.3" },
  );
  t.deepEqual(log.runs[0]?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation, {
    uri: "file:///etc/%C3%B6.reeve",
  });
});

test("other names for files reach every location", (t) => {
  const failures = [{ location, message: "m", explanation: [] }];
  const tests = [{ name: "t", location, failures }];
  const result = renamed({ diagnostics: [diagnostic], sources, tests }, (name) => `x/${name}`);
  t.false(JSON.stringify([result.diagnostics, result.tests]).includes(`"file":"${file}"`));
  t.deepEqual([...result.sources.keys()], [`x/${file}`]);
  t.is(result.sources.get(`x/${file}`)?.text, text);
});
