/** npm's versions and ranges, and the cache of what was read. */
import test from "ava";
import { memoize } from "./memoize.js";
import { semverVersioning } from "./semver.js";

test("versions are in the order of semver, build metadata last", (t) => {
  const sorted = ["1.0.0-alpha", "1.0.0-rc.1", "1.0.0", "1.0.0+1", "1.0.0+2", "1.0.1", "1.10.0"];
  t.deepEqual(sorted.toReversed().toSorted(semverVersioning.compare), sorted);
});

test("what is no version is in no order and has no numbers", (t) => {
  t.is(semverVersioning.compare("latest", "1.0.0"), 0);
  t.is(semverVersioning.compare("1.0.0", "latest"), 0);
  t.is(semverVersioning.numbers("latest"), undefined);
  t.false(semverVersioning.isVersion("latest"));
  t.false(semverVersioning.isPrerelease("latest"));
});

test("a version has three numbers, and may be a prerelease", (t) => {
  t.deepEqual(semverVersioning.numbers("1.2.3-rc.4"), [1, 2, 3]);
  t.true(semverVersioning.isVersion("1.2.3"));
  t.true(semverVersioning.isPrerelease("1.2.3-rc.4"));
  t.true(semverVersioning.isPrerelease("1.2.3-rc"));
  t.false(semverVersioning.isPrerelease("1.2.3"));
});

test("the lowest version of a range is read; what is no range has none", (t) => {
  t.is(semverVersioning.floor("^1.2.0"), "1.2.0");
  t.is(semverVersioning.floor("1.x"), "1.0.0");
  t.is(semverVersioning.floor("workspace:*"), undefined);
  t.true(semverVersioning.satisfies("1.9.0", "^1.2.0"));
  t.false(semverVersioning.satisfies("2.0.0", "^1.2.0"));
});

test("a result is computed once, until the cache is full", (t) => {
  const computed: string[] = [];
  const length = memoize((text) => {
    computed.push(text);
    return text === "none" ? undefined : text.length;
  }, 2);
  t.is(length("one"), 3);
  t.is(length("one"), 3);
  t.is(length("none"), undefined);
  t.is(length("none"), undefined);
  t.is(length("one"), 3);
  t.deepEqual(computed, ["one", "none"]);
  t.is(length("three"), 5);
  t.is(length("one"), 3);
  t.deepEqual(computed, ["one", "none", "three", "one"]);
});
