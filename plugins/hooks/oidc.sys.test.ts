/** `verify "oidc"`: an issuer on this machine, whose keys the daemon discovers. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER, WAIT } from "./testing/pieces.js";
import { rsa, set, token } from "./testing/tokens.js";

async function openIssuer(t: ExecutionContext) {
  let isDown = false;
  const server = createServer((request, response) => {
    if (isDown) response.writeHead(500).end();
    else if (request.url === "/keys") response.end(set(rsa.publicKey));
    else response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    set isDown(value: boolean) {
      isDown = value;
    },
  };
}
const openConfig = (url: string): string =>
  SERVER +
  hook(
    "oidc",
    `verify "oidc" {\nissuer = "${url}"\naudience = "deploy"\nrequire = claim.repository_id == "7" && claim.ref == "refs/heads/main"\n}\nrun = ["echo", claim.ref]\n${WAIT}`,
  );

for (const isolation of ["inline", "process"] as const) {
  test(`OpenID Connect in isolation ${isolation}: discovered keys, then an issuer that is down`, async (t) => {
    const issuer = await openIssuer(t);
    const at = await startFixture(t, openConfig(issuer.url), { isolation });
    const post = (claims: Readonly<Record<string, unknown>>) =>
      at.post("oidc", "", { authorization: `Bearer ${token({ claims })}` });
    const valid = { iss: issuer.url, ref: "refs/heads/main" };
    const response = await post(valid);
    t.is(`${response.status} ${await response.text()}`, "200 refs/heads/main\n");
    t.is((await post({ ...valid, ref: "refs/heads/evil" })).status, 401);
    t.is((await post({ ...valid, repository_id: "8" })).status, 401);
    issuer.isDown = true;
    t.is((await post(valid)).status, 200, "the keys are cached");
  });
}

test("an issuer that is down before its keys are known: 503, and nothing runs", async (t) => {
  const issuer = await openIssuer(t);
  issuer.isDown = true;
  const at = await startFixture(t, openConfig(issuer.url));
  const authorization = `Bearer ${token({ claims: { iss: issuer.url, ref: "refs/heads/main" } })}`;
  const response = await at.post("oidc", "", { authorization });
  t.is(response.status, 503);
  t.is(response.headers.get("retry-after"), "30");
  t.deepEqual(await at.plugin.runs(), []);
  t.is((await at.post("oidc")).status, 401, "a request without a token needs no keys");
});

test("the example for GitHub Actions: one run for each token of the repository's number", async (t) => {
  const issuer = await openIssuer(t);
  const file = (name: string): string => readFileSync(`examples/github-actions/${name}`, "utf8");
  const config = file("main.reeve")
    .replace("https://token.actions.githubusercontent.com", issuer.url)
    .replaceAll(":9000", ":0");
  const at = await startFixture(t, config, { files: { "release.sh": file("release.sh") } });
  const workflow = {
    ...{ iss: issuer.url, aud: "https://deploy.example.com", jti: "one", sha: "4f2b8c1" },
    ...{ sub: "repo:example@77/garden@123456:environment:production", ref: "refs/heads/main" },
    ...{ repository: "example/garden", repository_id: "123456", environment: "production" },
  };
  const post = async (changes: Readonly<Record<string, unknown>>): Promise<number> => {
    const claims = { ...workflow, ...changes };
    const authorization = `Bearer ${token({ claims })}`;
    return (await at.post("release", "", { authorization })).status;
  };
  t.is(await post({}), 202);
  t.is((await at.next("hook.finished")).state, "succeeded");
  t.is((await at.plugin.runs())[0]?.output.text, "releasing example/garden at 4f2b8c1\n");
  t.is(await post({}), 200, "the same token");
  for (const [title, changes] of [
    ["another repository that has taken the name", { repository_id: "999" }],
    ["a pull request", { ref: "refs/pull/1/merge" }],
    ["another environment", { environment: "staging" }],
    ["without an environment", { environment: undefined }],
    ["another audience", { aud: "https://github.com/example" }],
  ] as const) {
    t.is(await post({ ...changes, jti: title }), 401, title);
  }
  t.is((await at.plugin.runs()).length, 1);
});
