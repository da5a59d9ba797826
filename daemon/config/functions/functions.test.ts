import test from "ava";
import { codesOf, evaluated, evaluateText } from "../testing/evaluate-text.js";
import { renderValue } from "../values/render.js";
import { equalValues } from "./compare.js";
import { functionFamilies, functions } from "./functions.js";
import { renderSignature } from "./signature.js";

for (const [family, members] of functionFamilies) {
  for (const signature of members) {
    test(`${family}: ${renderSignature(signature)} does what its examples say`, (t) => {
      // What a secret is made of is not shown, so there is nothing to compare.
      t.true(signature.examples.length > 0 || ["secret", "postgres"].includes(signature.name));
      for (const [call, result] of signature.examples) {
        t.true(
          equalValues(evaluated(call), evaluated(result)),
          `${call} is ${renderValue(evaluated(call))}`,
        );
      }
    });
  }
}

test("every function of the specification is there", (t) => {
  const specified = `lower upper trim split join replace starts_with ends_with matches format length contains any all concat
    distinct sort slice flatten keys values merge range min max abs floor ceil json_encode json_decode base64 base64_decode url_encode html hex sha256
    host_matches cidr_contains path_join dirname basename coalesce try defined env file secret postgres`;
  t.deepEqual([...functions.keys()].sort(), specified.split(/\s+/).sort());
});

const gives = test.macro({
  exec: (t, call: string, result: string) => t.is(renderValue(evaluated(call)), result),
  title: (_, call, result) => `${call} is ${result}`,
});
test(gives, 'split("", ",")', '[""]');
test(gives, 'split("a\u{1f600}b", "")', '["a", "\u{1f600}", "b"]');
test(gives, 'join([], ",")', '""');
test(gives, 'join(["a", 1, true, 30s, 1KiB, 50%], " ")', '"a 1 true 30s 1KiB 50%"');
test(gives, 'replace("aaa", "a", "$&")', '"$&$&$&"');
test(gives, 'replace("abc", "", "x")', '"abc"');
test(gives, 'replace("2024-05", re"(\\d+)-(?P<m>\\d+)", "$<m>/$1 $$ $9")', '"05/2024 $ $9"');
test(gives, 'replace("abc", re"x*", "-")', '"-a-b-c-"');
test(gives, 'slice("abc", -2)', '"bc"');
test(gives, "slice([1, 2, 3], 5)", "[]");
test(gives, "contains([{ a = 1 }, [2]], { a = 1 })", "true");
test(gives, 'distinct([1, "1", 1, 1s, 1s, { a = 1 }, { a = 1 }])', '[1, "1", 1s, { a = 1 }]');
test(gives, "sort([])", "[]");
test(gives, "range(0)", "[]");
test(gives, "range(3, 1)", "[]");
test(gives, "range(1, 10, 4)", "[1, 5, 9]");
test(gives, "merge()", "{}");
test(gives, "merge({ a = { x = 1 } }, { a = { y = 2 } })", "{ a = { y = 2 } }");
test(gives, "min([3, 2], 5)", "2");
test(gives, "abs(-30s)", "30s");
test(
  gives,
  'format("%5d|%-5s|%05d|%x|%j", 42, "a", -7, 255, { a = 1 })',
  '"   42|a    |-0007|ff|{\\"a\\":1}"',
);
test(gives, 'json_encode({ "a b" = null, r = 50% })', '"{\\"a b\\":null,\\"r\\":\\"50%\\"}"');
test(gives, 'json_decode("{\\"__proto__\\": 1, \\"constructor\\": 2}").constructor', "2");
test(gives, 'base64("ä")', '"w6Q="');
test(gives, 'base64_decode("w6Q")', '"ä"');
test(gives, 'base64_decode("")', '""');
test(gives, 'try(base64_decode("w6Q_"), "no")', '"no"');
test(gives, 'try(base64_decode("a b="), "no")', '"no"');
test(gives, 'try(base64_decode("/w=="), "no")', '"no"');
test(gives, 'url_encode("~-._*()!")', '"~-._%2A%28%29%21"');
test(gives, `html("<a href=\\"x\\">'&amp;")`, '"&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;"');
test(gives, 'cidr_contains("192.0.2.1", "192.0.2.1")', "true");
test(gives, 'cidr_contains("10.0.0.0/8", "::ffff:10.1.2.3")', "true");
test(gives, 'cidr_contains("::/0", "2001:db8::1")', "true");
test(gives, 'host_matches("A.Example.ORG.", "*.example.org")', "true");
test(gives, 'host_matches("notexample.org", "*.example.org")', "false");
test(gives, 'host_matches("example.org.evil.test", "*.example.org")', "false");
test(gives, "coalesce(null, null)", "null");
test(gives, 'coalesce({}.a, "x")', '"x"');
test(gives, 'try({}.a.b, "x")', '"x"');
test(gives, 'try(1 / 0, "x")', '"x"');
test(gives, 'try(null, "x")', "null");
test(gives, "defined([1][1])", "false");
test(gives, 'lower(text = "A")', '"a"');

const refuses = test.macro({
  exec: (t, call: string, ...codes: string[]) => t.deepEqual(codesOf(call), codes),
  title: (_, call, ...codes) => `${call} is refused with ${codes.join(", ")}`,
});
test(refuses, "lower()", "E308");
test(refuses, 'lower("a", "b")', "E308");
test(refuses, 'lower(txt = "a")', "E308");
test(refuses, 'replace(text = "a", "b", "c")', "E308");
test(refuses, 'replace("a", new = "b")', "E308");
test(refuses, 'slice("a", 0, start = 1)', "E308");
test(refuses, "lower(1)", "E309");
test(refuses, "join([[]])", "E309");
test(refuses, 'min(1, "a")', "E309");
test(refuses, "min(1, 1s)", "E307");
test(refuses, "min()", "E313");
test(refuses, 'sort([1, "a"])', "E307");
test(refuses, 'format("%d", "a")', "E313");
test(refuses, 'format("%s")', "E313");
test(refuses, 'format("%s", 1, 2)', "E313");
test(refuses, 'format("%y", 1)', "E313");
test(refuses, 'cidr_contains("10.0.0.0/33", "10.0.0.1")', "E313");
test(refuses, 'cidr_contains("10.0.0.0/8", "ten")', "E313");
test(refuses, 'host_matches("a", "*")', "E313");
test(refuses, 'json_decode("{")', "E313");
test(refuses, 'json_encode(re"a")', "E313");
test(refuses, "range(0, 1, 0)", "E313");
test(refuses, "range(1.5)", "E313");
test(refuses, "range(1001)", "E407");
test(refuses, "nothing(1)", "E203");
test(refuses, 'try(nothing(1), "x")', "E203");
test(refuses, 'try(unknown_name, "x")', "E201");
test(refuses, 'coalesce(unknown_name, "x")', "E201");
test(refuses, 'secret("plain")', "E508");

test("a string that a function would make too long is refused before it is made", (t) => {
  const long = "x".repeat(1024);
  const texts = [
    `join([for i in range(1000): "${long}"], "${long}")`,
    `replace("${long}", "x", "${long.repeat(2)}")`,
    `replace("${long}", re"x", "${long.repeat(2)}")`,
    `format("%2000s%s", "a", join([for i in range(1000): "${long}"], "${long.repeat(40)}"))`,
  ];
  for (const text of texts) t.deepEqual(codesOf(text), ["E406"]);
});

test("whatever touches a secret is one", (t) => {
  for (const signature of functions.values()) {
    if (signature.moves || ["secret", "env", "file", "defined"].includes(signature.name)) continue;
    const [example] = signature.examples[0] ?? [];
    const tainted = example?.replace(/"(?:[^"\\]|\\.)*"|\b\d[\w.]*/, 'secret("env:X")');
    if (tainted === undefined || tainted === example) continue;
    const { outcome, complaints } = evaluateText(tainted);
    const refused = complaints.length > 0;
    t.true(refused || String(outcome) === "(secret)" || holdsSecret(outcome), tainted);
  }
});

const holdsSecret = (value: unknown): boolean =>
  JSON.stringify(value)?.includes("(secret)") ?? false;
