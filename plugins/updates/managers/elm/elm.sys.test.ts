/** elm.json of packages and of applications, whose versions are resolved. */
import test from "ava";
import fc from "fast-check";
import { propose } from "../../decide/propose.js";
import { type ElmSite, elmSite } from "../../testing/elm-site.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import type { ManagerSettings, Tools, UpdateEdit } from "../contract.js";
import { elm } from "./manager.js";
import { compareElm, elmSatisfies, raisedElm } from "./versions.js";

const none: ManagerSettings = { registries: [] };

const orders = [["0.9.9", "0.10.0", "1.0.0", "1.0.1", "1.1.0", "2.0.0", "10.0.0"]];
for (const order of orders)
  test(order.join(" < "), (t) => {
    t.deepEqual(order.toReversed().toSorted(compareElm), order);
  });

const meanings: ReadonlyArray<readonly [requirement: string, allowed: string[], not: string[]]> = [
  ["1.0.0", ["1.0.0"], ["1.0.1"]],
  ["1.0.0 <= v < 2.0.0", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.9"]],
  ["1.0.0 < v <= 2.0.0", ["1.0.1", "2.0.0"], ["1.0.0", "2.0.1"]],
  ["1.0 <= v < 2.0", [], ["1.0.0"]],
  ["01.0.0", [], ["1.0.0"]],
];
for (const [requirement, allowed, not] of meanings)
  test(`${requirement} allows ${allowed.join(", ") || "nothing"}`, (t) => {
    for (const version of allowed) t.true(elmSatisfies(version, requirement), version);
    for (const version of not) t.false(elmSatisfies(version, requirement), version);
  });

const raises: ReadonlyArray<
  readonly [requirement: string, version: string, keepLower: boolean, result: string]
> = [
  ["1.0.0", "2.1.0", false, "2.1.0"],
  ["1.0.0 <= v < 2.0.0", "1.5.0", false, "1.0.0 <= v < 2.0.0"],
  ["1.0.0 <= v < 2.0.0", "2.1.0", true, "1.0.0 <= v < 3.0.0"],
  ["1.0.0 <= v < 2.0.0", "2.1.0", false, "2.1.0 <= v < 3.0.0"],
  ["anything", "2.1.0", false, "anything"],
];
for (const [requirement, version, keepLower, result] of raises)
  test(`${requirement} becomes ${result} for ${version}`, (t) => {
    t.is(raisedElm(requirement, version, keepLower), result);
  });

type Table = Readonly<Record<string, string>>;

/** As Elm writes it. */
const application = (direct: Table, indirect: Table, test: Table = {}, more: Table = {}): string =>
  `${JSON.stringify(
    {
      type: "application",
      "source-directories": ["src"],
      "elm-version": "0.19.1",
      dependencies: { direct, indirect },
      "test-dependencies": { direct: test, indirect: more },
    },
    undefined,
    4,
  )}\n`;

async function updated(
  text: string,
  name: string,
  site: ElmSite,
  tools: Tools,
): Promise<UpdateEdit> {
  const settings: ManagerSettings = { registries: [{ manager: "elm", url: site.url }] };
  const sources = repository({ "elm.json": text });
  const found = elm.parse(sources, settings);
  const dependency = found.dependencies.find((each) => each.name === name);
  if (!dependency) throw new Error(name);
  const decision = await propose({
    ...{ manager: elm, dependency, runtime: found.runtime, advisories: [], now: 0 },
    library: await elm.isLibrary(found, tools.lookup),
    policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
    lookup: tools.lookup.fresh(),
  });
  if (decision.kind !== "update") throw new Error(decision.why);
  return elm.update({ sources, settings, changes: [decision.change] }, tools);
}

const core = (site: ElmSite): void => {
  site.publish("elm/core", "1.0.0");
  site.publish("elm/json", "1.0.0", { "elm/core": "1.0.0 <= v < 2.0.0" });
  site.publish("elm/json", "1.1.0", { "elm/core": "1.0.0 <= v < 2.0.0" });
};

test("a package's range becomes wider", async (t) => {
  await using site = await elmSite();
  await using tools = workshop();
  core(site);
  site.publish("elm/core", "2.0.0");
  const text = `{ "type": "package", "elm-version": "0.19.0 <= v < 0.20.0",\n  "dependencies": { "elm/core": "1.0.0 <= v < 2.0.0" }, "test-dependencies": {} }\n`;
  const edit = await updated(text, "elm/core", site, tools);
  t.is(edit.files.get("elm.json"), text.replace("v < 2.0.0", "v < 3.0.0"));
  t.is(edit.lock.kind, "absent");
});

test("indirect dependencies stay where they fit, and are added and removed as needed", async (t) => {
  await using site = await elmSite();
  await using tools = workshop();
  core(site);
  site.publish("elm/old", "1.0.0");
  const range = "1.0.0 <= v < 2.0.0";
  site.publish("acme/ui", "1.0.0", { "elm/core": range, "elm/old": range });
  site.publish("acme/ui", "2.0.0", { "elm/core": range, "elm/json": "1.1.0 <= v < 2.0.0" });
  site.publish("acme/http", "1.0.0", { "elm/json": range });
  const direct = { "acme/http": "1.0.0", "acme/ui": "1.0.0", "elm/core": "1.0.0" };
  const before = application(direct, { "elm/json": "1.0.0", "elm/old": "1.0.0" });
  const edit = await updated(before, "acme/ui", site, tools);
  t.is(
    edit.files.get("elm.json"),
    application({ ...direct, "acme/ui": "2.0.0" }, { "elm/json": "1.1.0" }),
  );
  t.is(edit.lock.kind, "refreshed");
});

test("indirect test dependencies are in their section, and an unchanged graph changes one value", async (t) => {
  await using site = await elmSite();
  await using tools = workshop();
  core(site);
  const range = "1.0.0 <= v < 2.0.0";
  site.publish("elm/random", "1.0.0", { "elm/core": range });
  site.publish("elm/test", "1.0.0", { "elm/core": range, "elm/random": range });
  site.publish("elm/test", "1.1.0", { "elm/core": range, "elm/random": range });
  const text = (version: string): string =>
    application({ "elm/core": "1.0.0" }, {}, { "elm/test": version }, { "elm/random": "1.0.0" });
  const edit = await updated(text("1.0.0").replaceAll("\n", "\r\n"), "elm/test", site, tools);
  t.is(edit.files.get("elm.json"), text("1.1.0").replaceAll("\n", "\r\n"));
});

test("versions that conflict, or are for another Elm, are refused with the reason", async (t) => {
  await using site = await elmSite();
  await using tools = workshop();
  core(site);
  site.publish("elm/core", "2.0.0");
  site.publish("acme/ui", "1.0.0", { "elm/core": "1.0.0 <= v < 2.0.0" });
  const text = application({ "acme/ui": "1.0.0", "elm/core": "1.0.0" }, {});
  await t.throwsAsync(updated(text, "elm/core", site, tools), {
    code: "does_not_resolve",
    message:
      "These versions conflict: acme/ui 1.0.0 needs elm/core 1.0.0 <= v < 2.0.0, and 2.0.0 is used.",
  });
  site.publish("acme/ui", "2.0.0", { "elm/core": "1.0.0 <= v < 2.0.0" }, "0.20.0 <= v < 0.21.0");
  await t.throwsAsync(updated(text, "acme/ui", site, tools), {
    message: "acme/ui 2.0.0 needs Elm 0.20.0 <= v < 0.21.0, newer than what the project runs on.",
  });
});

test("a release for another Elm is skipped for an older one; one without elm.json is for an Elm before 0.19", async (t) => {
  await using site = await elmSite();
  await using tools = workshop();
  core(site);
  for (const version of ["1.0.0", "1.0.1"]) site.publish("acme/ui", version);
  site.publish("acme/ui", "1.0.2", {}, "0.19.1 <= v < 0.20.0");
  site.publish("acme/ui", "1.0.3", {}, "0.20.0 <= v < 0.21.0");
  const before = application({ "acme/ui": "1.0.0", "elm/core": "1.0.0" }, {});
  const edit = await updated(before, "acme/ui", site, tools);
  t.is(edit.files.get("elm.json"), before.replace('ui": "1.0.0"', 'ui": "1.0.2"'));
  const old = before.replace("0.19.1", "0.19.0");
  const { files } = await updated(old, "acme/ui", site, tools);
  t.is(files.get("elm.json"), old.replace('ui": "1.0.0"', 'ui": "1.0.1"'));
  site.publish("acme/old", "1.0.0");
  site.announce("acme/old", "5.0.0");
  const other = application({ "acme/old": "1.0.0", "elm/core": "1.0.0" }, {});
  await t.throwsAsync(updated(other, "acme/old", site, tools), {
    message: "acme/old 1.0.0 is the newest version.",
  });
});

test("a package's new range must fit its other dependencies, those of its tests included", async (t) => {
  await using site = await elmSite();
  await using tools = workshop();
  const range = "1.0.0 <= v < 2.0.0";
  for (const version of ["1.0.0", "2.0.0"]) site.publish("acme/left", version);
  site.publish("acme/right", "1.0.0", { "acme/left": range });
  const manifest = (tests: Table): string =>
    `${JSON.stringify({ type: "package", "elm-version": "0.19.0 <= v < 0.20.0", dependencies: { "acme/left": range }, "test-dependencies": tests })}\n`;
  const { files } = await updated(manifest({}), "acme/left", site, tools);
  t.is(files.get("elm.json"), manifest({}).replace("v < 2.0.0", "v < 3.0.0"));
  await t.throwsAsync(updated(manifest({ "acme/right": range }), "acme/left", site, tools), {
    code: "does_not_resolve",
    message: /acme\/right 1\.0\.0 needs acme\/left 1\.0\.0 <= v < 2\.0\.0, and 2\.0\.0 is used/,
  });
});

test("a direct test dependency that the application needs changes in both sections", async (t) => {
  await using site = await elmSite();
  await using tools = workshop();
  const range = "1.0.0 <= v < 2.0.0";
  for (const version of ["1.0.0", "1.1.0"]) site.publish("acme/left", version);
  site.publish("acme/right", "1.0.0", { "acme/left": range });
  const text = (version: string): string =>
    application({ "acme/right": "1.0.0" }, { "acme/left": version }, { "acme/left": version });
  const edit = await updated(text("1.0.0"), "acme/left", site, tools);
  t.is(edit.files.get("elm.json"), text("1.1.0"));
});

test("an elm.json of another type is broken, and names outside the package site are not requested", (t) => {
  t.regex(
    elm.parse(repository({ "elm.json": "{}" }), none).broken[0]?.why ?? "",
    /neither "application" nor "package"/,
  );
  const [odd] = elm.parse(
    repository({ "elm.json": application({ "../a/b": "1.0.0" }, {}) }),
    none,
  ).dependencies;
  t.deepEqual(odd?.origin, {
    kind: "none",
    why: "../a/b is not a valid name of an Elm package.",
  });
});

test("parsing any elm.json never throws", (t) => {
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.json().map((json) => `{"type":"application","dependencies":${json}}`),
  );
  fc.assert(
    fc.property(text, (json) => {
      const found = elm.parse(repository({ "elm.json": json }), none);
      t.true(found.broken.length <= 1);
    }),
  );
});
