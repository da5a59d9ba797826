import test from "ava";
import type { Diagnostic } from "./diagnostic.js";
import { toJson } from "./to-json.js";

const source = { path: "main.reeve", text: "a = 1\r\nb = '日'\nc = 2\n" };
const sources = new Map([[source.path, source]]);
const location = { file: "main.reeve", start: 11, end: 14 };
const range = {
  start: { line: 2, column: 5, offset: 11 },
  end: { line: 2, column: 8, offset: 14 },
};

test("a diagnostic keeps everything, its places with lines and columns from 1", (t) => {
  const diagnostic: Diagnostic = {
    code: "E023",
    severity: "error",
    message: "strings have double quotes",
    location,
    label: "write it so",
    help: "quotes are double",
    fix: { title: "write it so", edits: [{ ...location, text: '"日"' }] },
    related: [{ location, message: "here too" }],
    subject: 'hook "a"',
    trace: [{ description: "`for x in y`", location }],
  };
  t.deepEqual(toJson(diagnostic, sources), {
    code: "E023",
    severity: "error",
    message: "strings have double quotes",
    file: "main.reeve",
    range,
    label: "write it so",
    help: "quotes are double",
    fix: { title: "write it so", edits: [{ file: "main.reeve", range, text: '"日"' }] },
    related: [{ file: "main.reeve", range, message: "here too" }],
    subject: 'hook "a"',
    trace: [{ file: "main.reeve", range, description: "`for x in y`" }],
  });
});

test("what is absent is left out", (t) => {
  const bare: Diagnostic = { code: "E400", severity: "warning", message: "nothing there" };
  t.deepEqual(toJson(bare, sources), { ...bare });
});

test("a place in a text that is not known has a file and no range", (t) => {
  const diagnostic: Diagnostic = {
    code: "E001",
    severity: "error",
    message: "gone",
    location: { file: "gone.reeve", start: 0, end: 1 },
  };
  t.deepEqual(toJson(diagnostic, sources), {
    code: "E001",
    severity: "error",
    message: "gone",
    file: "gone.reeve",
  });
});

test("a place beyond the text is brought back to its end", (t) => {
  const beyond = {
    code: "E001",
    severity: "error",
    message: "m",
    location: { ...location, end: 999 },
  } as const;
  t.like(toJson(beyond, sources), {
    range: { end: { line: 4, column: 1, offset: source.text.length } },
  });
});
