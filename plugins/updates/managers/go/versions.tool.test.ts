/** Versions have the order of `go list`, and invalid ones are invalid for `go` too. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { outputOf } from "../../../../tests/support/child.js";
import { needs, program } from "../../../../tests/support/needs.js";
import { goProxy } from "../../testing/go-proxy.js";
import { goVersioning } from "./versions.js";

const withGo = needs(test, program("go"));

const versions =
  "v0.0.1 v0.9.0 v0.10.0 v1.0.0-alpha v1.0.0-alpha.1 v1.0.0-alpha.beta v1.0.0-beta.2 v1.0.0-beta.11 v1.0.0-rc.1 v1.0.0 v1.0.1 v1.2.0-0.1 v1.2.0-pre v1.2.0 v1.10.0 v2.0.0+incompatible v3.1.0+incompatible v10.0.0+incompatible".split(
    " ",
  );

withGo("the order is that of go list", async (t) => {
  t.timeout(90_000);
  await using proxy = await goProxy();
  for (const version of versions.toReversed())
    proxy.publish("example.test/left", version, "", { "code.go": "package left\n" });
  const directory = await mkdtemp(join(tmpdir(), "reeve-go-order-"));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const stdout = await outputOf("go", ["list", "-m", "-versions", "example.test/left"], {
    cwd: directory,
    env: {
      ...{ PATH: process.env.PATH, HOME: directory, GOPATH: join(directory, "gopath") },
      ...{ GOFLAGS: "-modcacherw", GOPROXY: proxy.url, GOSUMDB: "off", GO111MODULE: "on" },
    },
  });
  const [, ...theirs] = stdout.trim().split(" ");
  const listed = new Set(theirs);
  const mine = versions.toReversed().toSorted(goVersioning.compare);
  t.deepEqual(mine, versions);
  t.deepEqual(
    theirs,
    mine.filter((version) => listed.has(version)),
  );
  t.true(listed.size > 14, stdout);
});

const none = ["1.0.0", "v1", "v1.2", "v1.2.3.4", "v01.2.3", "latest", "v1.2.3-", "master", ""];
test(`none of these is a version: ${none.join(", ")}`, (t) => {
  t.deepEqual(none.filter(goVersioning.isVersion), []);
});

const rows: ReadonlyArray<
  readonly [requirement: string, inside: readonly string[], outside: readonly string[]]
> = [
  ["v1.2.0", ["v1.2.0", "v1.10.0"], ["v1.1.9", "v1.2.0-pre"]],
  ["v0.0.0-20240101000000-0123456789ab", ["v0.0.1", "v0.0.0-20240301000000-abcdef012345"], []],
  [">= v1.2.0", ["v1.2.0"], ["v1.1.0"]],
  ["< v1.2.0", ["v1.1.0"], ["v1.2.0"]],
];
for (const [requirement, inside, outside] of rows)
  test(`${requirement} allows ${inside.join(", ")}`, (t) => {
    t.deepEqual(
      [...inside, ...outside].filter((version) => goVersioning.satisfies(version, requirement)),
      [...inside],
    );
  });
