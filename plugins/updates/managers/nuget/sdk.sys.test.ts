/** The SDK of `global.json`, against the tags of a real repository. */
import test from "ava";
import { propose } from "../../decide/propose.js";
import { gitRemote } from "../../testing/git.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import type { ManagerSettings } from "../contract.js";
import { nuget } from "./manager.js";

const FILE = "global.json";
const TAGS = [
  ...["v8.0.404", "v8.0.100", "v8.0.417", "v8.0.500", "v9.0.100", "v9.0.102", "8.0.499-broken"],
  ...[
    "v9.0.100-rc.2.24474.11",
    "v9.0.100-preview.7.1",
    "release/8.0.4xx",
    "v8.0.420-rc.1.1",
    "v8.0",
  ],
];

interface Step {
  readonly from: string;
  /** Undefined where it stays. */
  readonly to: string | undefined;
}
const steps: readonly Step[] = [
  { from: "8.0.404", to: "8.0.417" },
  { from: "8.0.100", to: undefined },
  { from: "8.0.417", to: undefined },
  { from: "9.0.100-preview.7.1", to: "9.0.102" },
];
for (const { from, to } of steps)
  test(`the SDK ${from} ${to === undefined ? "stays" : `moves to ${to}`}`, async (t) => {
    await using remote = await gitRemote();
    await using tools = workshop();
    const commit = await remote.commit("main", "one");
    for (const tag of TAGS) await remote.tag(tag, commit);
    const settings: ManagerSettings = {
      registries: [{ manager: "nuget", scope: "dotnet-sdk", url: `file://${remote.path}` }],
    };
    const text = (version: string): string =>
      `{ // größer\r\n  "sdk": { "version": "${version}", "rollForward": "latestPatch", },\r\n}\r\n`;
    const lock = `{ "version": 1, "dependencies": {} }\n`;
    const sources = repository({ [FILE]: text(from), "packages.lock.json": lock });
    const [dependency, ...others] = nuget.parse(sources, settings).dependencies;
    t.deepEqual(others, []);
    if (!dependency) return t.fail();
    const decision = await propose({
      ...{ manager: nuget, dependency, runtime: {}, library: false, advisories: [], now: 0 },
      policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
      lookup: tools.lookup,
    });
    if (decision.kind === "none") return t.is(to, undefined, decision.why);
    const edit = await nuget.update({ sources, settings, changes: [decision.change] }, tools);
    t.deepEqual(Object.fromEntries(edit.files), { [FILE]: text(to ?? "") });
    t.deepEqual(edit.lock, { kind: "absent" });
  });

for (const version of ["8.0", "8.0.x", "latest", "8.0.4"])
  test(`the SDK ${version} is no version in a band`, (t) => {
    const sources = repository({ [FILE]: `{ "sdk": { "version": "${version}" } }` });
    t.deepEqual(nuget.parse(sources, { registries: [] }).dependencies, []);
  });

test("a broken global.json is reported once", (t) => {
  const { broken, dependencies } = nuget.parse(repository({ [FILE]: "{" }), { registries: [] });
  t.deepEqual(dependencies, []);
  t.deepEqual(
    broken.map(({ file }) => file),
    [FILE],
  );
});
