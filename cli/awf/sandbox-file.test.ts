import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { FirewallError } from "../../plugins/firewall/errors.js";
import { readSandboxFile } from "./sandbox-file.js";

function written(t: ExecutionContext, name: string, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "reeve-awf-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "source"));
  writeFileSync(join(directory, "token"), "hunter22\n");
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

/** The same sandbox in each format. */
const forms: ReadonlyArray<readonly [name: string, text: string]> = [
  [
    "a.reeve",
    'sandbox "build" {\n  allow = ["a.example"]\n  timeout = 5m\n  memory = 1GiB\n  mount "/data" { source = "./source" }\n}',
  ],
  [
    "a.reeve.json",
    '{"sandbox": {"$block": ["build"], "allow": ["a.example"], "timeout": {"$expr": "5m"}, "memory": {"$expr": "1GiB"}, "mount": {"$block": ["/data"], "source": "./source"}}}',
  ],
  [
    "a.json",
    '{"sandbox": {"build": {"allow": ["a.example"], "timeout": "5m", "memory": "1GiB", "mount": {"/data": {"source": "./source"}}}}}',
  ],
  [
    "a.yaml",
    "allow: [a.example]\ntimeout: 5m\nmemory: 1GiB\nmount:\n  /data: { source: ./source }\n",
  ],
];
for (const [name, text] of forms) {
  test(`${name} says what a sandbox is`, async (t) => {
    const path = written(t, name, text);
    const { attributes: shape, files } = await readSandboxFile(path, undefined);
    t.deepEqual(files, [path]);
    t.like(shape, {
      allow: ["a.example"],
      timeout: 300_000,
      memory: 1024 ** 3,
      allow_write: undefined,
    });
    t.deepEqual(shape.mount, [{ at: "/data", source: join(path, "..", "source"), mode: "ro" }]);
  });
}

test("a name chooses among several, and secrets are revealed", async (t) => {
  const path = written(
    t,
    "a.reeve",
    'sandbox "one" {}\nsandbox "two" {\n  env = { T = secret("file:./token") }\n}',
  );
  t.deepEqual((await readSandboxFile(path, "two")).attributes.env, { T: "hunter22" });
});

const withBlocks: ReadonlyArray<readonly [name: string, text: string]> = [
  [
    "a.reeve",
    `sandbox "a" {
  allow = ["a.example"]
  credential "api" {
    hosts = ["a.example"]
    env = "TOKEN"
    value = secret("file:./token")
  }
  limit "*" {
    requests_per_minute = 60
  }
}`,
  ],
  [
    "a.json",
    '{"allow": ["a.example"], "credential": {"api": {"hosts": ["a.example"], "env": "TOKEN", "value": "hunter22"}}, "limit": {"*": {"requests_per_minute": 60}}}',
  ],
  [
    "a.yaml",
    "allow: [a.example]\ncredential:\n  api: {hosts: [a.example], env: TOKEN, value: hunter22}\nlimit:\n  '*': {requests_per_minute: 60}\n",
  ],
];
for (const [name, text] of withBlocks) {
  test(`credentials and limits of ${name} are read`, async (t) => {
    const { attributes } = await readSandboxFile(written(t, name, text), undefined);
    t.like(attributes.credential?.[0], {
      name: "api",
      hosts: ["a.example"],
      env: "TOKEN",
      value: "hunter22",
    });
    t.like(attributes.limit?.[0], { domain: "*", requests_per_minute: 60 });
  });
}

const wrong: ReadonlyArray<readonly [name: string, text: string, complaint: RegExp]> = [
  ["a.reeve", 'sandbox "one" {}\nsandbox "two" {}', /several sandboxes: one, two/],
  ["a.reeve", "", /has no `sandbox` block/],
  ["a.reeve", 'sandbox "a" {\n  alow = []\n}', /did you mean `allow`/],
  ["a.reeve", 'sandbox "a" {\n  user = "nobody"\n}', /as its own user/],
  ["a.yaml", "allow: ['*.com']", /covers a whole public suffix/],
  ["a.json", "[1]", /it is not an object/],
  ["a.json", "{", /cannot be used with --config/],
];
for (const [name, text, complaint] of wrong) {
  test(`refused: ${name}: ${text}`, async (t) => {
    const thrown = await t.throwsAsync(readSandboxFile(written(t, name, text), undefined), {
      instanceOf: FirewallError,
    });
    t.regex(thrown?.message ?? "", complaint);
  });
}
