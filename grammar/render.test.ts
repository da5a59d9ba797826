import { stripVTControlCharacters } from "node:util";
import test from "ava";
import fc from "fast-check";
import { anyText } from "../tests/support/text.js";
import type { Diagnostic, SourceLocation } from "./diagnostic.js";
import { type RenderOptions, render } from "./render.js";

const text = `# the example of the documentation
for repo in let.repos {
  hook "deploy" {
    timeuot = let.ci ? 1m : 10m
    run_in = sandbox.biuld
  }
}
sandbox "build" {
}
`;
const main = { path: "main.reeve", text };

const locationOf = (part: string, source = main): SourceLocation => {
  const start = source.text.indexOf(part);
  return { file: source.path, start, end: start + part.length };
};
const error = (
  location: SourceLocation | undefined,
  more: Partial<Diagnostic> = {},
): Diagnostic => ({
  code: "E900",
  severity: "error",
  message: "something is wrong",
  ...(location && { location }),
  ...more,
});
const shown = (diagnostics: readonly Diagnostic[], options?: RenderOptions, source = main) =>
  render(diagnostics, new Map([[source.path, source]]), options);
/** The lines of the only diagnostic, without the summary. */
const one = (diagnostic: Diagnostic, source = main) =>
  shown([diagnostic], {}, source).split("\n").slice(0, -3);

/** Control characters in it, line ends apart. */
const controls = (text: string) =>
  [...text].filter((each) => /\p{Cc}/u.test(each) && each !== "\n");

test("a diagnostic is a header, a place, the line with carets, and notes", (t) => {
  const diagnostics: readonly Diagnostic[] = [
    {
      code: "E101",
      severity: "error",
      message: "unknown attribute `timeuot` in `hook` block",
      location: locationOf("timeuot"),
      label: "did you mean `timeout`?",
      help: "attributes of hooks are listed by `reeve schema hook`",
      fix: { title: "rename to `timeout`", edits: [] },
      subject: 'hook "deploy"',
      trace: [{ description: "`for repo in let.repos`", location: locationOf("for repo in") }],
    },
    {
      code: "E212",
      severity: "error",
      message: "`sandbox.biuld` does not exist",
      location: locationOf("sandbox.biuld"),
      label: "did you mean `sandbox.build`?",
      related: [{ location: locationOf('sandbox "build"'), message: "defined here" }],
    },
  ];
  t.is(
    shown(diagnostics, { footer: "Running generation 41 (commit 3f2c9a1) is unchanged." }),
    `error[E101]: unknown attribute \`timeuot\` in \`hook\` block
 --> main.reeve:4:5
  |
4 |     timeuot = let.ci ? 1m : 10m
  |     ^^^^^^^ did you mean \`timeout\`?
  = help: attributes of hooks are listed by \`reeve schema hook\`
  = fix: rename to \`timeout\`
  = in: hook "deploy", expanded from \`for repo in let.repos\` at main.reeve:2:1

error[E212]: \`sandbox.biuld\` does not exist
 --> main.reeve:5:14
  |
5 |     run_in = sandbox.biuld
  |              ^^^^^^^^^^^^^ did you mean \`sandbox.build\`?
 ::: main.reeve:8:1
8 | sandbox "build" {
  | --------------- defined here

2 errors, 0 warnings. Running generation 41 (commit 3f2c9a1) is unchanged.
`,
  );
});

test("the gutter is as wide as the greatest line number", (t) => {
  const source = { path: "x", text: `${"\n".repeat(98)}first\nsecond\n` };
  const diagnostic = error(locationOf("first", source), {
    related: [{ location: locationOf("second", source), message: "and here" }],
  });
  t.deepEqual(one(diagnostic, source), [
    "error[E900]: something is wrong",
    "   --> x:99:1",
    "    |",
    " 99 | first",
    "    | ^^^^^",
    "   ::: x:100:1",
    "100 | second",
    "    | ------ and here",
  ]);
});

/** A line, what is marked in it, and the two lines that are shown. */
const lines: ReadonlyArray<
  readonly [what: string, line: string, part: string, shown: string, marks: string]
> = [
  ["a tab counts up to the next stop", "\ta\tb = c", "b", "    a   b = c", "        ^"],
  ["a tab under the caret is as wide as it is shown", "a\tb", "\t", "a   b", " ^^^"],
  ["a wide character takes two columns", '"日本" x', "x", '"日本" x', "       ^"],
  ["carets under wide characters are as wide", '"日本"', "日本", '"日本"', " ^^^^"],
  ["a combining mark takes none", '"e\u0301" x', "x", '"e\u0301" x', "    ^"],
  ["an emoji of several characters takes two", '"👩‍👩‍👧" x', "x", '"👩‍👩‍👧" x', "     ^"],
  ["a caret does not begin inside of a character", '"👩‍👩‍👧"', "\u200d", '"👩‍👩‍👧"', " ^^"],
  ["a control character is shown as a sign", "a\u0007 x", "x", "a� x", "   ^"],
  [
    "an escape sequence cannot reach the terminal",
    "\u001b[31mred x",
    "x",
    "�[31mred x",
    "         ^",
  ],
  ["a mark that turns the direction of writing is shown", "\u202eabc x", "x", "�abc x", "     ^"],
  ["a lone surrogate is shown as a sign", "\ud800 x", "x", "� x", "  ^"],
  ["blanks at the end of the line are not shown", "x   ", "x", "x", "^"],
];
for (const [what, line, part, expected, marks] of lines) {
  test(`${what}`, (t) => {
    const source = { path: "x", text: `${line}\n` };
    const [, , , quoted, carets] = one(error(locationOf(part, source)), source);
    t.is(quoted, `1 | ${expected}`);
    t.is(carets, `  | ${marks}`);
  });
}

test("of a very long line the part around the caret is shown", (t) => {
  const source = { path: "x", text: `${"a".repeat(5000)}!${"b".repeat(5000)}\n` };
  const [, , , quoted = "", carets = ""] = one(error(locationOf("!", source)), source);
  t.regex(quoted, /^1 \| …a+!b+…$/);
  t.is(quoted.indexOf("!"), carets.indexOf("^"));
  t.true(quoted.length <= 104);
});

test("near the end of a very long line there is no mark behind it", (t) => {
  const source = { path: "x", text: `${"a".repeat(5000)}!\n` };
  const [, , , quoted = "", carets = ""] = one(error(locationOf("!", source)), source);
  t.regex(quoted, /^1 \| …a+!$/);
  t.is(quoted.indexOf("!"), carets.indexOf("^"));
});

test("of a range over several lines the first is marked to its end", (t) => {
  const source = { path: "x", text: "a = [\n  1,\n]\n" };
  t.deepEqual(
    one(error(locationOf("[\n  1,\n]", source), { label: "this list" }), source).slice(3),
    ["1 | a = [", "  |     ^ this list (to line 3)"],
  );
});

test("an empty range has one caret", (t) => {
  const source = { path: "x", text: "a =\n" };
  t.is(one(error({ file: "x", start: 3, end: 3 }), source).at(-1), "  |    ^");
});

test("the end of the file can be pointed at", (t) => {
  const source = { path: "x", text: "a = 1\n" };
  t.deepEqual(one(error({ file: "x", start: 6, end: 6 }), source).slice(1), [
    " --> x:2:1",
    "  |",
    "2 |",
    "  | ^",
  ]);
});

test("CRLF and a lone CR end a line", (t) => {
  const source = { path: "x", text: "a\r\nb\rc\r\n" };
  t.deepEqual(one(error(locationOf("c", source)), source).slice(1), [
    " --> x:3:1",
    "  |",
    "3 | c",
    "  | ^",
  ]);
});

test("a place whose text is not known is named without a line", (t) => {
  const diagnostic = error({ file: "gone.reeve", start: 5, end: 6 }, { label: "here" });
  t.deepEqual(one(diagnostic), ["error[E900]: something is wrong", " --> gone.reeve"]);
});

test("without a place there are the sentence and what to do", (t) => {
  t.deepEqual(one(error(undefined, { help: "create it" })), [
    "error[E900]: something is wrong",
    "  = help: create it",
  ]);
});

test("diagnostics cannot control the terminal", (t) => {
  const evil = "\u001b]0;evil\u0007";
  const diagnostic = error(locationOf("hook"), {
    message: evil,
    label: evil,
    help: evil,
    subject: evil,
    fix: { title: evil, edits: [] },
    related: [{ location: locationOf("hook"), message: evil }],
  });
  t.deepEqual(controls(shown([diagnostic], { footer: evil })), []);
});

test("there is colour only when it is asked for, and it changes no text", (t) => {
  const diagnostics = [
    error(locationOf("hook")),
    error(locationOf("run_in"), { severity: "warning" }),
  ];
  const plain = shown(diagnostics);
  const coloured = shown(diagnostics, { colour: true });
  t.deepEqual(controls(plain), []);
  t.true(coloured.includes("\u001b[31m") && coloured.includes("\u001b[33m"));
  t.is(stripVTControlCharacters(coloured), plain);
});

// ---------------------------------------------------------------- many

const summaries: ReadonlyArray<readonly [errors: number, warnings: number, line: string]> = [
  [0, 0, "0 errors, 0 warnings."],
  [1, 0, "1 error, 0 warnings."],
  [2, 1, "2 errors, 1 warning."],
  [0, 3, "0 errors, 3 warnings."],
  [20, 5, "20 errors, 5 warnings. The first 20 are shown."],
];
for (const [errors, warnings, line] of summaries) {
  test(`${errors} errors and ${warnings} warnings are summed up`, (t) => {
    const diagnostics = Array.from({ length: errors + warnings }, (_, index) =>
      error(
        { file: "main.reeve", start: index, end: index },
        { severity: index < errors ? "error" : "warning" },
      ),
    );
    const rendered = shown(diagnostics);
    t.is(rendered.trimEnd().split("\n").at(-1), line);
    t.is(rendered.split(" --> ").length - 1, Math.min(errors + warnings, 20));
  });
}

test("the limit can be set", (t) => {
  const diagnostics = [error(locationOf("hook")), error(locationOf("run_in"))];
  t.regex(shown(diagnostics, { limit: 1 }), /2 errors, 0 warnings\. The first 1 are shown\.\n$/);
});

test("diagnostics come in the order of files and places, those without a place first", (t) => {
  const files = ["b.reeve", "a.reeve"].map((path) => ({ path, text: "x\ny\nz\n" }));
  const at = (file: string, start: number) => error({ file, start, end: start + 1 });
  const diagnostics = [
    at("unknown", 0),
    at("a.reeve", 4),
    at("b.reeve", 2),
    at("a.reeve", 0),
    error(undefined),
  ];
  const rendered = render(diagnostics, new Map(files.map((file) => [file.path, file])));
  t.deepEqual(
    [...rendered.matchAll(/--> (.*)/g)].map(([, location]) => location),
    ["b.reeve:2:1", "a.reeve:1:1", "a.reeve:3:1", "unknown"],
  );
  t.regex(rendered, /^error\[E900\]: something is wrong\n\nerror/);
});

test("the same thing is said once", (t) => {
  const twice = [error(locationOf("hook")), error(locationOf("hook"))];
  t.regex(shown(twice), /^1 error, 0 warnings\.$/m);
});

test("nothing more is said about text that could not be read", (t) => {
  const syntax = error(locationOf("timeuot = let.ci"), { code: "E033" });
  const followUp = error(locationOf("let.ci"), { code: "E201" });
  const elsewhere = error(locationOf("run_in"), { code: "E201" });
  const rendered = shown([followUp, elsewhere, syntax]);
  t.deepEqual(
    [...rendered.matchAll(/error\[(\w+)\]/g)].map(([, code]) => code),
    ["E033", "E201"],
  );
  t.regex(rendered, /^2 errors/m);
});

test("any place in any text can be shown", (t) => {
  fc.assert(
    fc.property(anyText(), fc.nat(), fc.nat(), (content, a, b) => {
      const source = { path: "x", text: content };
      const start = a % (content.length + 1);
      const end = start + (b % (content.length - start + 1));
      const rendered = shown([error({ file: "x", start, end })], {}, source);
      return rendered.includes("^") && controls(rendered).length === 0;
    }),
  );
  t.pass();
});
