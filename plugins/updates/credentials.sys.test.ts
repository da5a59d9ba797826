/** Credentials for registries: a token, a user name and a password, and none. */
import test from "ava";
import { testPlugin } from "reeve/testing";
import plugin from "./plugin.js";
import { type UpdatesFixture, updatesFixture } from "./testing/fixture.js";
import { npmRegistry } from "./testing/npm-registry.js";

const TOKEN = "registry-token-1";
const BASIC = `Basic ${Buffer.from(`robot:${TOKEN}`).toString("base64")}`;
const MANIFEST = `{ "name": "site", "dependencies": { "left-foo": "2.0.0" } }\n`;

const said: ReadonlyArray<readonly [what: string, attributes: string, wanted: string]> = [
  ["a token", 'token = secret("env:REGISTRY_TOKEN")', `Bearer ${TOKEN}`],
  [
    "a user name and a password",
    'username = "robot"\n    password = secret("env:REGISTRY_TOKEN")',
    BASIC,
  ],
];
for (const [what, attributes, wanted] of said)
  test.serial(`a registry that wants ${what} gets it, and no log shows it`, async (t) => {
    await using registry = await npmRegistry({ "left-foo": { "2.0.0": {}, "2.0.1": {} } });
    registry.authorization = wanted;
    const at = await updatesFixture(t, {
      inside: `registry "npm_and_yarn" {\n    url = "${registry.url}"\n    ${attributes}\n  }`,
    });
    await at.config(await at.repo("site", { "package.json": MANIFEST }));
    const [pull] = await at.pulls(1);
    t.is(pull?.attributes.title, "Bump left-foo from 2.0.0 to 2.0.1");
    t.false((await everything(at)).includes(TOKEN));
  });

test.serial(
  "without a credential the run reports what to configure, and tries nothing else",
  async (t) => {
    await using registry = await npmRegistry({ "left-foo": { "2.0.0": {}, "2.0.1": {} } });
    registry.authorization = BASIC;
    const at = await updatesFixture(t, {
      inside: `registry "npm_and_yarn" { url = "${registry.url}" }`,
    });
    await at.config(await at.repo("site", { "package.json": MANIFEST }));
    await at.plugin.until(
      async () => /refuses access with 401\. Configure a credential/.test(await everything(at)),
      "the reason",
    );
    t.deepEqual((await at.send("GET", "/pull_requests")).json.data, []);
  },
);

const everything = async (at: UpdatesFixture): Promise<string> =>
  (await at.send("GET", "/runs")).text + (await at.send("GET", "/pull_requests")).text;

const halves: ReadonlyArray<readonly [attributes: string, complaint: RegExp]> = [
  ['username = "robot"', /`username` needs `password`/],
  ['password = secret("env:REGISTRY_TOKEN")', /`password` needs `username`/],
  [
    'token = secret("env:REGISTRY_TOKEN")\nusername = "robot"\npassword = secret("env:REGISTRY_TOKEN")',
    /not both/,
  ],
  ['username = "ro:bot"\npassword = secret("env:REGISTRY_TOKEN")', /a name without a colon/],
];
for (const [attributes, complaint] of halves)
  test.serial(`refused: ${attributes.replaceAll("\n", ", ")}`, async (t) => {
    const config = `updates "main" {\n  registry "npm_and_yarn" {\n    url = "http://127.0.0.1:1"\n    ${attributes}\n  }\n}\n`;
    const environment = { REGISTRY_TOKEN: TOKEN };
    const error = await t.throwsAsync(
      testPlugin(plugin, { config, environment }).then((tested) => tested.stop()),
    );
    t.regex(error?.message ?? "", complaint);
  });
