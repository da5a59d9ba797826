/** The version of Node that a project runs on. */
import test from "ava";
import { asWanted, repository } from "../../../testing/manager-fixture.js";
import { npmAndYarn } from "../manager.js";

const rows: ReadonlyArray<
  readonly [what: string, files: Readonly<Record<string, string>>, node: string | undefined]
> = [
  ["engines", { "app/package.json": '{ "engines": { "node": ">=20" } }' }, ">=20"],
  ["a major", { "app/.nvmrc": "22\n" }, "22"],
  ["a version with v", { "app/.nvmrc": "v22.4.1\r\n" }, "22.4.1"],
  ["a comment", { "app/.nvmrc": "# ours\n20.1 # keep\n" }, "20.1"],
  ["the other file", { "app/.node-version": "20.10.0" }, "20.10.0"],
  ["the root", { ".nvmrc": "18" }, "18"],
  ["the nearer one", { ".nvmrc": "18", "app/.node-version": "20" }, "20"],
  ["a name", { "app/.nvmrc": "lts/*" }, undefined],
  ["a codename", { "app/.nvmrc": "lts/jod" }, undefined],
  ["the newest", { "app/.node-version": "node" }, undefined],
  ["an empty file", { "app/.nvmrc": "\n" }, undefined],
  [
    "engines before files",
    { "app/package.json": '{ "engines": { "node": ">=16" } }', "app/.nvmrc": "22" },
    ">=16",
  ],
];
for (const [what, files, node] of rows)
  test(`${what} is ${node ?? "no version"}`, (t) => {
    const sources = repository({ "app/package.json": "{}", ...files }, { directory: "/app" });
    const { runtime } = npmAndYarn.parse(asWanted(npmAndYarn, sources), { registries: [] });
    t.deepEqual(runtime, node === undefined ? {} : { node });
  });

test("a release that needs a newer Node does not run", (t) => {
  const sources = repository({ "package.json": "{}", ".nvmrc": "v22" });
  const { runtime } = npmAndYarn.parse(asWanted(npmAndYarn, sources), { registries: [] });
  t.true(npmAndYarn.runs({ version: "1.0.0", runtime: { node: ">=22" } }, runtime));
  t.false(npmAndYarn.runs({ version: "2.0.0", runtime: { node: ">=24" } }, runtime));
});
