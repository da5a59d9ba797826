import test from "ava";
import fc from "fast-check";
import { anyText } from "../../tests/support/text.js";
import { firstValue, read } from "../testing/texts.js";

/** Text as it can stand between quotes. */
const escaped = (text: string) =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("${", "\\${")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r");

const lines = fc.array(fc.stringMatching(/^[ -~é日]{0,12}$/), { minLength: 1, maxLength: 5 });

test("a quoted string holds any text", (t) => {
  fc.assert(
    fc.property(anyText(), (value) => {
      t.like(firstValue(`a = "${escaped(value)}"`), { kind: "string", value });
    }),
  );
});

test("every character can be written as an escape", (t) => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (value) => {
      const points = [...value].map((each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
      t.like(firstValue(`a = "${points.join("")}"`), { kind: "string", value });
    }),
  );
});

test("a raw string is what stands between its quotes", (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ !#-~]*$/), (value) => {
      t.like(firstValue(`a = r"${value}"`), { kind: "string", value, form: "raw" });
    }),
  );
});

test("a block string is its lines without the indentation of the closing quotes", (t) => {
  fc.assert(
    fc.property(lines, fc.stringMatching(/^[ \t]{0,4}$/), (content, indent) => {
      const body = content.map((line) => `${indent}${escaped(line)}\n`).join("");
      const value = content.map((line) => line).join("\n");
      t.like(firstValue(`a = """\n${body}${indent}"""`), { kind: "string", value, form: "block" });
    }),
  );
});

test("a raw block string leaves backslashes and dollars alone", (t) => {
  fc.assert(
    fc.property(lines, (content) => {
      fc.pre(!content.some((line) => line.includes('"""')));
      const body = content.map((line) => `  ${line}\n`).join("");
      const value = content.join("\n");
      t.like(firstValue(`a = r"""\n${body}  """`), { kind: "string", value, form: "raw_block" });
    }),
  );
});

test("a hole stands between texts, each decoded for itself", (t) => {
  fc.assert(
    fc.property(anyText(), anyText(), (before, behind) => {
      const value = firstValue(`a = "${escaped(before)}\${x}${escaped(behind)}"`);
      const parts = value.kind === "template" ? value.parts : [];
      const texts = parts.map((part) => (part.kind === "text" ? part.value : null));
      t.deepEqual(
        texts,
        [before, null, behind].filter((each) => each !== ""),
      );
    }),
  );
});

const malformed: ReadonlyArray<readonly [title: string, text: string, code: string]> = [
  ["an escape that is not known", '"\\q"', "E022"],
  ["an escape of a surrogate", '"\\u{d800}"', "E022"],
  ["an escape beyond Unicode", '"\\u{110000}"', "E022"],
  ["an escape without digits", '"\\u{}"', "E022"],
  ["a backslash at the end of a block's line", '"""\n  a \\\n  """', "E022"],
  ["text behind the opening quotes of a block", '"""a b\n"""', "E029"],
  ["text before the closing quotes of a block", '"""\na"""', "E029"],
  ["a line of a block that is indented too little", '"""\n a\n  """', "E029"],
  ["a line of a block that is indented by other blanks", '"""\n\ta\n  """', "E029"],
  ["a hole at the left edge of an indented block", `"""\n  a\n\${b}\n  """`, "E029"],
  ["a quote that is not closed", '"abc', "E020"],
  ["a quote that is closed on another line", '"abc\n"', "E020"],
];
for (const [title, text, code] of malformed) {
  test(`${title} gives ${code}`, (t) => {
    t.is(read(`a = ${text}`).codes[0], code);
  });
}
