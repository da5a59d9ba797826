/** What a pull request says, and what the texts of others cannot do in it. */
import test from "ava";
import type { Update } from "../../decide/contract.js";
import { bodyOf } from "./body.js";
import type { Proposal } from "./proposals.js";

const update = (name: string): Update => ({
  kind: "update",
  change: {
    dependency: {
      ...{ id: name, name, declarations: [], development: false, current: "1.0.0" },
      origin: { kind: "none", why: "" },
    },
    to: { version: "1.1.0" },
    requirements: [],
  },
  ...{
    from: "1.0.0",
    to: "1.1.0",
    semver: "minor",
    inRange: false,
    toPrerelease: false,
    fixes: [],
  },
});
const proposal = (...names: string[]): Proposal => ({
  ...{ updates: names.map(update), names, group: undefined, security: false },
});
const url = "https://git.example.test/acme/thing";

test("a newer version that needs a newer runtime is named", (t) => {
  const runtime = "thing 4.0.0 needs Node >=24, newer than what the project runs on.";
  const { updates, ...rest } = proposal("thing");
  t.regex(
    bodyOf({ ...rest, updates: updates.map((each) => ({ ...each, runtime })) }, {}),
    /^Bumps thing from 1\.0\.0 to 1\.1\.0\.\n\nthing 4\.0\.0 needs Node >=24, newer than/,
  );
});

test("the date of a release and the page of its changes are named where they are known", (t) => {
  const [one] = proposal("thing").updates;
  if (!one) return t.fail();
  const to = { version: "1.1.0", published: Date.UTC(2026, 1, 3) };
  const dated = { ...proposal("thing"), updates: [{ ...one, change: { ...one.change, to } }] };
  const compare = `${url}/compare/v1.0.0...v1.1.0`;
  const releaseNotes = new Map([["thing", { url, compare, commits: [] }]]);
  t.true(
    bodyOf(dated, { releaseNotes }).startsWith(
      `Bumps thing from 1.0.0 to 1.1.0. Released on 2026-02-03.\n\nMade in ${url}.\n\n[Compare the two versions](${compare})\n`,
    ),
  );
});

test("notes, changelog and commits are folded, in this order", (t) => {
  const releaseNotes = new Map([
    [
      "thing",
      {
        url,
        notes: "Faster.",
        changelog: "## 1.1.0",
        commits: [{ sha: "a".repeat(40), subject: "Be faster" }],
      },
    ],
  ]);
  t.is(
    bodyOf(proposal("thing"), { releaseNotes }),
    `Bumps thing from 1.0.0 to 1.1.0.

<details>
<summary>Release notes</summary>

Faster.

</details>

<details>
<summary>Changelog</summary>

## 1.1.0

</details>

<details>
<summary>Commits</summary>

- \`aaaaaaa\` Be faster

</details>

Made in ${url}.

Closing this pull request ignores these versions; newer ones are still offered.`,
  );
});

test("foreign texts mention no user, link no issue, and stay in their fold", (t) => {
  const notes = "Thanks @ada, closes #12.\n</details><img src=x onerror=alert(1)>\n<!-- a > b";
  const body = bodyOf(proposal("thing"), {
    releaseNotes: new Map([
      ["thing", { url, notes, commits: [{ sha: "b".repeat(40), subject: "fix #3 by @ada" }] }],
    ]),
  });
  t.notRegex(body, /@ada|#12|#3|<img|<!--/);
  t.is(body.match(/<\/details>/g)?.length, 2);
  t.true(body.includes("a > b"));
});

test("long notes are cut, and no element stays open", (t) => {
  const names = Array.from({ length: 12 }, (_, index) => `thing-${index}`);
  const notes = { url, notes: "word ".repeat(4000), commits: [] };
  const body = bodyOf(proposal(...names), {
    releaseNotes: new Map(names.map((name) => [name, notes])),
  });
  t.true(body.length <= 65_000);
  t.is(body.match(/<details>/g)?.length, body.match(/<\/details>/g)?.length);
  t.regex(body, /newer ones are still offered\.$/);
});

test("results elsewhere and commands are listed where available", (t) => {
  const elsewhere = new Map([
    ["thing", { passed: 11, all: 12 }],
    ["other", { passed: 0, all: 0 }],
  ]);
  const body = bodyOf(proposal("thing", "other"), { elsewhere, commands: true });
  t.true(body.includes("| thing | 11 of 12 |"));
  t.false(body.includes("| other | 0 of 0 |"));
  t.regex(body, /`@reeve ignore this major version`/);
  t.false(bodyOf(proposal("thing"), {}).includes("@reeve"));
});
