/** Ports, credentials, limits and secrets of `sandbox` blocks. */
import { createServer } from "node:http";
import test from "ava";
import { runIn, startFirewall } from "../testing/fixture.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

test("a request to a listed host gets a credential that the command never has", async (t) => {
  const received: Array<string | undefined> = [];
  const server = createServer(({ headers }, response) => {
    received.push(headers.authorization, headers["x-key"] as string | undefined);
    response.end("done");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const hosts = `hosts = ["http://host.docker.internal:${port}"]`;
  const plugin = await startFirewall(
    t,
    `sandbox "a" {
  host_access = [${port}]
  env = { COPY = secret("env:KEY") }
  credential "session" {
    ${hosts}
    value = "Bearer \${secret("env:SESSION")}"
  }
  credential "key" {
    ${hosts}
    env = "KEY"
    header = "X-Key"
    value = secret("env:KEY")
  }
}`,
    { SESSION: "session-0001", KEY: "ghp_key-0001" },
  );
  const url = `http://host.docker.internal:${port}/`;
  const known = "cat /proc/[0-9]*/environ | grep -ac -e '-000[1]'";
  const line = `curl -s -H "X-Key: $KEY" ${url}; echo; echo $KEY; test "$COPY" = "$KEY" && echo same; ${known}`;
  const { stdout } = await runIn(plugin, "a", { argv: [line] });
  t.deepEqual(received, ["Bearer session-0001", "ghp_key-0001"]);
  t.regex(stdout, /^done\nghp_\w{24}\nsame\n0\n$/);
});

test("a block limits requests, and refuses secrets of its variables", async (t) => {
  const server = createServer((_, response) => response.end("done"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const plugin = await startFirewall(
    t,
    `sandbox "a" {
  host_access = [${port}]
  deny_secrets = true
  env = { PHRASE = secret("env:PHRASE") }
  limit "host.docker.internal" {
    requests_per_minute = 2
  }
}`,
    { PHRASE: "open-sesame-0001" },
  );
  const get = (path: string) =>
    `curl -s -o /dev/null -w '%{http_code} ' --noproxy '' "http://host.docker.internal:${port}/${path}"`;
  const { stdout } = await runIn(plugin, "a", {
    argv: [[get("1"), get("$PHRASE"), get("2"), get("3")].join("; ")],
  });
  t.is(stdout, "200 403 200 429 ");
  // The commands of a sandbox share its limits.
  t.is((await runIn(plugin, "a", { argv: [get("4")] })).stdout, "429 ");
});

test("a block names a port of this machine in its list, and no other is open", async (t) => {
  const servers = await Promise.all(
    ["named", "other"].map(async (name) => {
      const server = createServer((_, response) => response.end(name));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      t.teardown(() => server.close());
      return (server.address() as { port: number }).port;
    }),
  );
  const plugin = await startFirewall(t, `sandbox "a" {\n  allow = ["localhost:${servers[0]}"]\n}`);
  const get = (port: number | undefined) =>
    `curl -s http://host.docker.internal:${port}/; echo " $?"`;
  const { stdout } = await runIn(plugin, "a", { argv: [servers.map(get).join("; ")] });
  t.is(stdout, "named 0\n 7\n");
});

const wrong: ReadonlyArray<readonly [config: string, complaint: RegExp]> = [
  ['limit "*.*" {\n  requests_per_minute = 1\n}', /Pattern '\*\.\*' is too broad/],
  ['limit "ok.example" {}', /This limits nothing/],
  ['allow = ["ok.example:0"]', /the port is not a number from 1 to 65535(.|\n)*\^{14}/],
  [
    'credential "x" {\n  hosts = ["ok.example", "*.ok.example"]\n  value = "v"\n}',
    /it must be one host(.|\n)*\^{14}/,
  ],
  [
    'credential "x" {\n  hosts = ["ok.example"]\n  header = "Host"\n  value = "v"\n}',
    /`Host` is not a header that can contain a credential(.|\n)*\^{6}/,
  ],
  [
    'credential "x" {\n  hosts = ["ok.example"]\n  value = "v"\n}',
    /The credential x is for https:\/\/ok\.example:443, which is not allowed/,
  ],
];
for (const [config, complaint] of wrong) {
  test(`refused: ${config}`, async (t) => {
    const thrown = await t.throwsAsync(startFirewall(t, `sandbox "a" {\n  ${config}\n}`));
    t.regex(thrown?.message ?? "", complaint);
  });
}
