import test from "ava";
import { codesOf, evaluated } from "../testing/evaluate-text.js";
import { renderValue } from "../values/render.js";

const gives = test.macro({
  exec: (t, text: string, result: string) => t.is(renderValue(evaluated(text)), result),
  title: (_, text, result) => `${text} is ${result}`,
});
test(gives, "1 + 2 * 3", "7");
test(gives, "7 % 4 - 1", "2");
test(gives, "-(2 - 5)", "3");
test(gives, "1m + 30s", "1m30s");
test(gives, "2 * 1h30m", "3h");
test(gives, "1h / 4", "15m");
test(gives, "1h / 10m", "6");
test(gives, "1s / 3", "333ms");
test(gives, "1GiB * 50%", "512MiB");
test(gives, "50% * 30", "15");
test(gives, "10MiB % 4MiB", "2MiB");
test(gives, '"a" + "b"', '"ab"');
test(gives, "1KiB == 1024B", "true");
test(gives, "90s < 2m", "true");
test(gives, '"a" < "b" && !("b" <= "a")', "true");
test(gives, "[1, { a = [2] }] == [1, { a = [2] }]", "true");
test(gives, "{ a = 1, b = 2 } == { b = 2, a = 1 }", "true");
test(gives, "null == null", "true");
test(gives, '"x" != null', "true");
test(gives, "2 in [1, 2]", "true");
test(gives, '"a" in { a = 1 }', "true");
test(gives, '"refs/heads/main" =~ re"^refs/(heads|tags)/"', "true");
test(gives, 'null ?? "x"', '"x"');
test(gives, 'false ?? "x"', "false");
test(gives, '{}.a ?? [][0] ?? "last"', '"last"');
test(gives, "false && 1 / 0 == 1", "false");
test(gives, "true || 1 / 0 == 1", "true");
test(gives, "true ? 1 : 1 / 0", "1");
test(
  gives,
  '"${1}${"a"}${true}${90s}${1KiB}${50%}${0.1 + 0.2}"',
  '"1atrue1m30s1KiB50%0.30000000000000004"',
);
test(gives, "[1, 2, 3][-1]", "3");
test(gives, '{ "a b" = { c = 5 } }["a b"].c', "5");
test(gives, "[{ a = 1 }, { a = 2 }][*].a", "[1, 2]");
test(gives, "[{ a = [1, 2] }, { a = [3] }][*].a[*]", "[1, 2, 3]");
test(gives, "[][*].a", "[]");
test(gives, "[for x in [1, 2, 3] if x != 2: x * 10]", "[10, 30]");
test(gives, "[for x in [1, 2]: [for y in [x, x * 2]: y]]", "[[1, 2], [2, 4]]");
test(gives, '{ "${"a"}-${1}" = true }', '{ "a-1" = true }');

const refuses = test.macro({
  exec: (t, text: string, ...codes: string[]) => t.deepEqual(codesOf(text), codes),
  title: (_, text, ...codes) => `${text} is refused with ${codes.join(", ")}`,
});
test(refuses, "1 + 1s", "E307");
test(refuses, "1s + 1KiB", "E307");
test(refuses, "1s * 1s", "E307");
test(refuses, '1 + "a"', "E307");
test(refuses, "[1] + [2]", "E307");
test(refuses, '30s == "30s"', "E307");
test(refuses, '1 == "1"', "E307");
test(refuses, 'env("REEVE_NOT_SET", default = "x") == true', "E307");
test(refuses, '1 < "a"', "E307");
test(refuses, "true < false", "E307");
test(refuses, '"a" in "abc"', "E307");
test(refuses, '"a" =~ "a"', "E307");
test(refuses, "-true", "E307");
test(refuses, "!1", "E314");
test(refuses, '1 && "a"', "E314");
test(refuses, '"a" ? 1 : 2', "E314");
test(refuses, "1 / 0", "E312");
test(refuses, "1s % 0s", "E312");
test(refuses, "1e308 * 10", "E312");
test(refuses, "{}.a", "E217");
test(refuses, "[1][1]", "E217");
test(refuses, '"abc".length', "E307");
test(refuses, "[1].a", "E307");
test(refuses, "[1][0.5]", "E307");
test(refuses, "[1][true]", "E307");
test(refuses, "{ a = 1 }[*]", "E315");
test(refuses, "[for x in 5: x]", "E315");
test(refuses, "[for x in [1] if x: x]", "E314");
test(refuses, '"${null}"', "E319");
test(refuses, '"${{}}"', "E319");
test(refuses, "{ a = 1, a = 2 }", "E318");
test(refuses, "[for x in [1]: [for x in [2]: x]]", "E206");
test(refuses, "nothing", "E201");
test(refuses, "let.nothing", "E202");
test(refuses, 're"(a"', "E305");
test(refuses, "(1)(2)", "E203");

test("all faults of a list are told at once", (t) => {
  t.deepEqual(codesOf('[nothing, 1 + "a", {}.b, "${null}"]'), ["E201", "E307", "E217", "E319"]);
});

test("names that JavaScript objects have anyway are ordinary absent names", (t) => {
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    t.deepEqual(codesOf(`{}.${name}`), ["E217"]);
    t.false(evaluated(`"${name}" in {}`));
    t.is(evaluated(`{ ${name} = 5 }.${name}`), 5);
  }
});
