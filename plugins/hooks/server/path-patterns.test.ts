import test from "ava";
import fc from "fast-check";
import { anyText } from "../../../tests/support/text.js";
import { PathPatterns } from "./path-patterns.js";

const patterns = new PathPatterns<string>();
for (const path of [
  "deploy/:env",
  "deploy/prod",
  "deploy/:env/:version",
  "deploy/prod/:version/now",
  ":team/site",
  "a/:x/c/d",
  "a/b/:y/e",
]) {
  patterns.add(path, path);
}

for (const [written, value, parameters] of [
  ["deploy/staging", "deploy/:env", { env: "staging" }],
  ["deploy/prod", "deploy/prod", {}],
  ["deploy/prod/7", "deploy/:env/:version", { env: "prod", version: "7" }],
  ["deploy/prod/7/now", "deploy/prod/:version/now", { version: "7" }],
  ["web/site", ":team/site", { team: "web" }],
  ["a/b/c/d", "a/:x/c/d", { x: "b" }],
  ["a/b/c/e", "a/b/:y/e", { y: "c" }],
  ["deploy/caf%C3%A9%20au%20lait", "deploy/:env", { env: "café au lait" }],
  ["deploy/%2525", "deploy/:env", { env: "%25" }],
  ["deploy/...", "deploy/:env", { env: "..." }],
  ["deploy/__proto__", "deploy/:env", { env: "__proto__" }],
] as const) {
  test(`${written} is ${value}`, (t) => {
    const [match] = patterns.find(written);
    t.is(match?.value, value);
    t.deepEqual({ ...match?.parameters }, parameters);
  });
}

for (const written of [
  "",
  "deploy",
  "deploy/",
  "deploy//",
  "deploy/staging/",
  "deploy/..",
  "deploy/.",
  "deploy/%2e%2e",
  "deploy/..%2fetc",
  "deploy/a%2Fb",
  "deploy/a%5Cb",
  "deploy/a%00b",
  "deploy/a%0Ab",
  "deploy/%zz",
  "deploy/%C3",
  "Deploy/prod",
  "a/b/c/f",
  "x/".repeat(10_000),
]) {
  test(`${JSON.stringify(written.slice(0, 40))} is nowhere`, (t) => {
    t.deepEqual(patterns.find(written), []);
  });
}

test("whatever is asked for, a parameter is one segment that leads nowhere else", (t) => {
  fc.assert(
    fc.property(anyText(), (text) => {
      for (const written of [
        `deploy/${text}`,
        `deploy/${encodeURIComponent(text.toWellFormed())}`,
      ]) {
        const env = patterns.find(written)[0]?.parameters.env;
        if (env !== undefined && (/^\.{0,2}$/.test(env) || /[/\\\0\n]/.test(env))) return false;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
  t.pass();
});
