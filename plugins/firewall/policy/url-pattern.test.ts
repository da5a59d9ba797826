import test from "ava";
import { Policy } from "./policy.js";
import { parseUrlPattern } from "./url-pattern.js";

const allowed = (pattern: string, url: string, method = "GET"): boolean =>
  Policy.parse({ allow: [], block: [], urls: [pattern] }).decideUrl(new URL(url), method).allowed;

const cases: ReadonlyArray<readonly [pattern: string, yes: string[], no: string[]]> = [
  [
    "https://github.com/org/*",
    ["https://github.com/org/repo", "https://GITHUB.com/org/repo?tab=1", "https://github.com/org/"],
    [
      "https://github.com/org/repo/issues",
      "https://github.com/orgy/x",
      "https://github.com/ORG/x",
      "https://api.github.com/org/x",
      "http://github.com/org/x",
      "https://github.com/org/../other",
      "https://github.com/org/%2e%2e/other",
      "https://github.com/org/..%2fother",
      "https://github.com.evil.test/org/x",
    ],
  ],
  [
    "https://github.com/org/**",
    ["https://github.com/org/a/b/c"],
    ["https://github.com/other/a", "https://github.com/org/a/..%2f..%2fother"],
  ],
  [
    "https://*.example.com/v1/*",
    ["https://api.example.com/v1/x"],
    ["https://example.com/v1/x", "https://api.example.com/v2/x"],
  ],
  [
    "https://example.com/a/**/z",
    ["https://example.com/a/b/c/z", "https://example.com/a//z"],
    ["https://example.com/a/b/c", "https://example.com/a/z"],
  ],
  [
    "https://203.0.113.7/x",
    ["https://203.0.113.7/x", "https://0xcb.0.0x71.7/x"],
    ["https://203.0.113.8/x"],
  ],
  [
    "https://example.com/x*",
    ["https://example.com./xy", "https://example.com/x?q=a", "https://example.com/x..y"],
    [
      "https://example.com/x%zz",
      "https://example.com/x%5cy",
      "https://example.com/x%2Fy",
      "https://example.com/x/y",
      "https://example.com/ax",
    ],
  ],
  [
    "https://example.com/a.b",
    ["https://example.com/a.b"],
    ["https://example.com/axb", "https://example.com/a.b/"],
  ],
];
for (const [pattern, yes, no] of cases) {
  test(`the URL pattern ${pattern}`, (t) => {
    for (const url of yes) t.true(allowed(pattern, url), url);
    for (const url of no) t.false(allowed(pattern, url), url);
  });
}

const refused: ReadonlyArray<readonly [pattern: string, first: string]> = [
  ["http://a.test/x/*", "URL patterns must start with https:// (got: http://a.test/x/*)"],
  ["a.test/x/*", "URL patterns must start with https:// (got: a.test/x/*)"],
  ["https://*", 'URL pattern "https://*" is too broad and would bypass security controls'],
  [
    "https://*.a.test",
    'URL pattern "https://*.a.test" is too broad and would bypass security controls',
  ],
  ["https://*/x", 'URL pattern "https://*/x" is too broad and would bypass security controls'],
  ["*", 'URL pattern "*" is too broad and would bypass security controls'],
  ["https://a.test", 'URL pattern "https://a.test" must include a path component'],
  ["https://a.test/", 'URL pattern "https://a.test/" must include a path component'],
  ["**", 'URL pattern "**" is too broad and would bypass security controls'],
  [".*", 'URL pattern ".*" is too broad and would bypass security controls'],
  ["https:///x", 'URL pattern "https:///x" is too broad and would bypass security controls'],
  ["https://a.test/x y", 'URL pattern "https://a.test/x y" contains a character that no URL has'],
  [
    "https://com/x",
    "URL pattern \"https://com/x\" has a host that is not allowed: Domain 'com' is a public suffix that anyone can register under and is not allowed",
  ],
];
for (const [pattern, first] of refused) {
  test(`the URL pattern ${pattern} is refused`, (t) => {
    t.is(t.throws(() => parseUrlPattern(pattern)).message.split("\n")[0], first);
  });
}

test("without URL patterns every URL of an allowed domain is allowed", (t) => {
  t.true(
    Policy.parse({ allow: [], block: [] }).decideUrl(new URL("http://a.test/x"), "GET").allowed,
  );
});

test("a URL pattern covers the usual port only", (t) => {
  t.true(allowed("https://a.test/x", "https://a.test:443/x"));
  t.false(allowed("https://a.test/x", "https://a.test:8443/x"));
});

test("a URL pattern may list methods", (t) => {
  const pattern = "GET|HEAD https://a.test/x/*";
  const methods = ["GET", "HEAD", "POST", "get"];
  t.deepEqual(
    methods.map((method) => allowed(pattern, "https://a.test/x/1", method)),
    [true, true, false, false],
  );
  t.false(allowed(pattern, "https://a.test/y", "GET"));
  const policy = Policy.parse({ allow: [], block: [], urls: [pattern] });
  t.is(policy.decideUrl(new URL("https://a.test/x/1"), "POST").rule, "deny-method");
});
