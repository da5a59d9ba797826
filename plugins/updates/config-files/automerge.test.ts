/** The key `automerge` of a version 2 file. */
import test from "ava";
import { readConfigFile } from "./read.js";

const read = (automerge: string) =>
  readConfigFile(
    `version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: daily }\n    automerge: ${automerge}\n`,
  );

test("rules without a name are those of the config, others of their dependencies", async (t) => {
  const { configs, faults } = await read(
    '[{ dependency-name: "@types/*", update-type: all }, { dependency-type: development, update-type: "semver:minor" }, { update-type: "semver:patch" }]',
  );
  t.deepEqual(faults, []);
  t.like(configs[0], {
    ...{ automergeRuntime: "semver:patch", automergeDevelopment: "semver:minor" },
    extras: { automerged: [{ dependency: "@types/*", type: "all", rule: "all" }] },
  });
});

const faulty: ReadonlyArray<readonly [automerge: string, fault: RegExp]> = [
  ["[{ update-type: minor }]", /automerge\.update-type must be one of never, .*, not minor\./],
  ["[{ dependency-name: a }]", /automerge\.update-type must be one of/],
  ["[{ update-type: all, x: 1 }]", /automerge: x is no key of version 2\./],
];
for (const [automerge, fault] of faulty)
  test(`${automerge} merges no more than it says`, async (t) => {
    const { configs, faults } = await read(automerge);
    t.is(faults.length, 1);
    t.regex(faults[0] ?? "", fault);
    const expected = automerge.includes("all") ? "all" : "never";
    t.is(configs[0]?.automergeRuntime, expected);
  });
