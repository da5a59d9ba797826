/** A dry run of a notification and the runs after the release agree, for every combination of a config's flags. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { updatesFixture } from "./testing/fixture.js";
import { npmRegistry } from "./testing/npm-registry.js";

const strategies = [undefined, "widen_ranges", "bump_versions_if_necessary"] as const;
const flags = [true, false];
/** All combinations; each is a directory of one repository. */
const cases = flags.flatMap((lockfileOnly) =>
  flags.flatMap((securityOnly) =>
    flags.flatMap((isLocked) =>
      strategies.map((strategy) => ({ lockfileOnly, securityOnly, isLocked, strategy })),
    ),
  ),
);

const packages = ["minor-foo", "major-foo", "fixed-foo"] as const;
const released = { "minor-foo": "1.1.0", "major-foo": "2.0.0", "fixed-foo": "2.0.1" };

test.serial("a dry run lists exactly what the run does", async (t) => {
  const registry = await npmRegistry(
    Object.fromEntries(packages.map((name) => [name, { "1.0.0": {} }])),
  );
  const osv = mkdtempSync(join(tmpdir(), "reeve-osv-"));
  t.teardown(async () => {
    await registry[Symbol.asyncDispose]();
    rmSync(osv, { recursive: true });
  });
  mkdirSync(join(osv, "npm"));
  const events = [{ introduced: "0" }, { fixed: "2.0.1" }];
  const affected = [
    { package: { ecosystem: "npm", name: "fixed-foo" }, ranges: [{ type: "SEMVER", events }] },
  ];
  writeFileSync(join(osv, "npm", "GHSA-1.json"), JSON.stringify({ id: "GHSA-1", affected }));
  const at = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }
  advisories = "${osv}"
  account "acme" { limit_open_pull_requests = false }`,
  });
  t.timeout(300_000);
  const dependencies = Object.fromEntries(packages.map((name) => [name, "^1.0.0"]));
  const files = cases.map(({ isLocked }, index) => {
    const name = `case-${index}`;
    const lock = {
      ...{ name, lockfileVersion: 3, requires: true },
      packages: {
        "": { name, dependencies },
        ...Object.fromEntries(
          packages.map((each) => [
            `node_modules/${each}`,
            { version: "1.0.0", resolved: `${registry.url}/${each}/-/${each}-1.0.0.tgz` },
          ]),
        ),
      },
    };
    return {
      [`${name}/package.json`]: JSON.stringify({ name, dependencies }),
      ...(isLocked ? { [`${name}/package-lock.json`]: JSON.stringify(lock) } : {}),
    };
  });
  const repo = await at.repo("site", Object.assign({}, ...files));
  const ids: string[] = [];
  for (const [index, { lockfileOnly, securityOnly, strategy }] of cases.entries()) {
    const config = await at.config(repo, {
      directory: `/case-${index}`,
      "lockfile-only": lockfileOnly,
      "security-updates-only": securityOnly,
      ...(strategy === undefined ? {} : { "requirements-update-strategy": strategy }),
    });
    t.is(config.status, 201, config.text);
    ids.push(config.json.data.id);
  }
  const finished = (count: number) =>
    at.plugin.until(async () => {
      const runs = (await at.send("GET", "/runs?limit=200")).json.data;
      const states = runs.map((run: { attributes: { state: string } }) => run.attributes.state);
      return states.length >= count && states.every((state: string) => state === "succeeded");
    }, `${count} runs`);
  await finished(cases.length);

  const body = (name: (typeof packages)[number]) => ({
    ...{ name, version: released[name], "package-manager": "npm_and_yarn" },
  });
  const predicted = new Map<string, readonly string[]>();
  for (const name of packages) {
    const path = "/release_notifications/private?dry-run=true";
    const { data } = (await at.send("POST", path, body(name))).json;
    predicted.set(
      name,
      data.map(
        ({ relationships }: { relationships: { "update-config": { data: { id: string } } } }) =>
          relationships["update-config"].data.id,
      ),
    );
  }
  for (const name of packages) registry.publish(name, released[name]);
  for (const id of ids) t.is((await at.send("POST", `/update_configs/${id}/runs`)).status, 202);
  await finished(2 * cases.length);
  const pulls = (await at.send("GET", "/pull_requests?limit=200")).json.data;
  for (const name of packages) {
    const actual = pulls
      .filter(({ attributes }: { attributes: { dependencies: readonly { name: string }[] } }) =>
        attributes.dependencies.some((each) => each.name === name),
      )
      .map(
        ({ relationships }: { relationships: { "update-config": { data: { id: string } } } }) =>
          relationships["update-config"].data.id,
      );
    t.deepEqual(predicted.get(name)?.toSorted(), actual.toSorted(), name);
    t.true(actual.length > 0 && actual.length < cases.length, `${name}: ${actual.length}`);
  }
});
