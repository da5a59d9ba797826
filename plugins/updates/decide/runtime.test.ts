/** Releases that need a newer runtime than the project has. */
import test from "ava";
import type { Advisory } from "../advisories/contract.js";
import type { Release } from "../managers/contract.js";
import { managerOf } from "../managers/index.js";
import { type Case, decide } from "./decide.js";

const npm = await managerOf("npm_and_yarn");
const requirement = "^1.0.0";
const dependency: Case["dependency"] = {
  ...{
    id: "foo",
    name: "foo",
    development: false,
    current: "1.0.0",
    lockedBy: "package-lock.json",
  },
  origin: { kind: "registry", url: "https://registry.example.test" },
  declarations: [
    {
      ...{ file: "package.json", range: { start: 0, end: 6 }, requirement },
      ...{ section: "dependencies", development: false },
    },
  ],
};
const flaw: Advisory = {
  ...{ id: "GHSA-1", aliases: [], summary: "a vulnerability" },
  affected: {
    ...{ ecosystem: "npm", name: "foo", versions: [] },
    ranges: [{ kind: "versions", events: [{ introduced: "0" }, { fixed: "1.0.1" }] }],
  },
};

const decision = (
  node: string,
  releases: readonly Release[],
  advisories: readonly Advisory[] = [],
) =>
  decide({
    ...{ manager: npm, dependency, library: false, now: 0, advisories },
    runtime: { node },
    available: { releases },
    policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
  });

const on24 = { node: ">=24" };
const foo4 = { version: "4.0.0", runtime: on24 };

test("an update says which newer version needs a newer runtime", (t) => {
  const releases = [{ version: "1.1.0" }, foo4];
  t.like(decision(">=22", releases), {
    to: "1.1.0",
    runtime: "foo 4.0.0 needs Node >=24, newer than what the project runs on.",
  });
  t.like(decision(">=24", releases), { to: "4.0.0", runtime: undefined });
});

test("a fix that needs a newer runtime is offered, and says so", (t) => {
  const releases = [{ version: "1.0.1", runtime: on24 }];
  t.like(decision(">=18", releases, [flaw]), {
    to: "1.0.1",
    runtime: "foo 1.0.1 needs Node >=24, newer than what the project runs on.",
  });
});

test("of several fixes the oldest that runs is offered", (t) => {
  const releases = [
    { version: "1.0.1", runtime: on24 },
    { version: "1.1.0" },
    { version: "1.2.0" },
  ];
  t.like(decision(">=18", releases, [flaw]), { to: "1.1.0", runtime: undefined });
});
