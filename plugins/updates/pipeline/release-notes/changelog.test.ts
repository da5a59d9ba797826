/** Which part of a changelog is about a step. */
import test from "ava";
import { compare } from "semver";
import { CHANGELOGS, excerpt } from "./changelog.js";

const body = "- better\n- faster";
const files: ReadonlyArray<readonly [what: string, text: string, expected: string | undefined]> = [
  [
    "headings with dates and links",
    `# Changelog\n\n## [Unreleased]\n\n## [2.1.0] - 2026-01-02\n\n${body}\n\n## 2.0.1\n\n- fix\n\n## [2.0.0](https://example.test)\n\n- old\n`,
    `## [2.1.0] - 2026-01-02\n\n${body}\n\n## 2.0.1\n\n- fix`,
  ],
  [
    "underlined headings",
    `v2.1.0\n======\n\n${body}\n\nv2.0.0\n======\n\n- old\n`,
    `v2.1.0\n======\n\n${body}`,
  ],
  [
    "a name before the version, and CRLF line ends",
    `### thing@2.1.0\r\n\r\n- better\r\n\r\n### thing@1.9.0\r\n\r\n- old\r\n`,
    "### thing@2.1.0\n\n- better",
  ],
  ["the version alone, to the end", `## 2.1.0\n\n${body}\n`, `## 2.1.0\n\n${body}`],
  ["a version that is mentioned, not a heading", "2.1.0 is near.\n\n## 2.0.0\n", undefined],
  ["another version", `## 3.0.0\n\n${body}\n`, undefined],
  ["nothing", "", undefined],
];
for (const [what, text, expected] of files)
  test(`a changelog with ${what}`, (t) => {
    t.is(
      excerpt(text, "2.1.0", (version) => compare(version, "2.0.0") <= 0),
      expected,
    );
  });

test("changelogs are recognized by name", (t) => {
  const names = ["CHANGELOG.md", "changes", "History.markdown", "NEWS.rst", "releases.txt"];
  t.deepEqual(
    names.filter((name) => CHANGELOGS.test(name)),
    names,
  );
  t.false(CHANGELOGS.test("changelog.js"));
  t.false(CHANGELOGS.test("old-changelog.md"));
});
