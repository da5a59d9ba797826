import test from "ava";
import { type Diagnostic, render, type Source, toJson } from "../../grammar/index.js";
import { fromJson, renderFindings } from "./findings.js";

const text = 'hook "deploy" {\n  timeuot = 1m\n}\n';
const sources: ReadonlyMap<string, Source> = new Map([
  ["main.reeve", { path: "main.reeve", text }],
]);
const location = { file: "main.reeve", start: text.indexOf("timeuot"), end: text.indexOf(" =") };
const diagnostic: Diagnostic = {
  code: "E201",
  severity: "error",
  message: "there is no attribute `timeuot`",
  location,
  label: "did you mean `timeout`?",
  help: "look at the reference",
  notes: ["left: 1"],
  fix: { title: "rename to `timeout`", edits: [{ ...location, text: "timeout" }] },
  related: [{ location: { file: "main.reeve", start: 0, end: 4 }, message: "in this block" }],
  subject: 'hook "deploy"',
  trace: [{ location: { file: "main.reeve", start: 0, end: 4 }, description: "`for x in y`" }],
};

test("a diagnostic is the same after its way through JSON", (t) => {
  t.deepEqual(fromJson(JSON.parse(JSON.stringify(toJson(diagnostic, sources)))), diagnostic);
});

test("what the daemon found looks like what `check` finds", (t) => {
  const findings = {
    diagnostics: [toJson(diagnostic, sources)],
    sources: { "main.reeve": text },
  };
  t.is(
    renderFindings(findings, { colour: false, footer: "Generation 12 keeps running." }),
    render([diagnostic], sources, { footer: "Generation 12 keeps running." }),
  );
});

test("a diagnostic about no text, or about a text that did not come along, has no carets", (t) => {
  const findings = {
    diagnostics: [
      { code: "E112", severity: "error" as const, message: "no such file" },
      { code: "E113", severity: "error" as const, message: "unknown", file: "other.reeve" },
    ],
    sources: {},
  };
  const shown = renderFindings(findings, { colour: false });
  t.true(shown.includes("error[E112]: no such file"));
  t.true(shown.includes("--> other.reeve\n"));
  t.false(shown.includes("^"));
});
