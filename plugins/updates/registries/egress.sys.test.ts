/** Requests that a repository can cause reach only what the configuration allows: real servers, real connections. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import test, { type ExecutionContext } from "ava";
import { UpdatesError } from "../errors.js";
import { closed, urlOf } from "../testing/server.js";
import { badDestination } from "./destination.js";
import { Egress, type EgressOptions } from "./egress.js";
import { lsRemote } from "./git-references.js";
import { createLookup } from "./lookup.js";

async function server(t: ExecutionContext, listener: RequestListener) {
  let requests = 0;
  const http = createServer((request, response) => {
    requests += 1;
    listener(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  t.teardown(() => closed(http));
  return { url: urlOf(http), port: new URL(urlOf(http)).port, requests: () => requests };
}

const lookupWith = (options: EgressOptions = {}) =>
  createLookup({
    clock: { now: () => Date.now(), sleep: async () => undefined },
    egress: new Egress(options),
  });

const text = (url: string) => ({
  url,
  purpose: "test",
  digest: ({ body }: { readonly body: Uint8Array }) => new TextDecoder().decode(body),
});

const refused = { instanceOf: UpdatesError, code: "registry_refused", message: /allow_registries/ };

test("addresses of this host are refused in every form, also behind a name", async (t) => {
  const { port, requests } = await server(t, (_request, response) => response.end("secret"));
  for (const host of [
    ...["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "localhost"],
    ...["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]"],
  ])
    await t.throwsAsync(lookupWith().fetch(text(`http://${host}:${port}/x`)), refused, host);
  t.is(requests(), 0);
});

test("private, link-local and metadata addresses are refused", async (t) => {
  for (const host of [
    ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200"],
    ...["168.63.129.16", "[fd00:ec2::254]", "[fe80::1]", "[::ffff:169.254.169.254]"],
  ])
    await t.throwsAsync(lookupWith().fetch(text(`https://${host}/latest`)), refused, host);
});

test("no TLS connection is opened to a refused address, and one to an allowed address is", async (t) => {
  let connections = 0;
  const tcp = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  t.teardown(() => tcp.close());
  const { port } = tcp.address() as AddressInfo;
  for (const host of ["127.0.0.1", "localhost"])
    await t.throwsAsync(lookupWith().fetch(text(`https://${host}:${port}/x`)), refused, host);
  t.is(connections, 0);
  const allowed = lookupWith({ allowed: ["127.0.0.0/8"] });
  await t.throwsAsync(allowed.fetch(text(`https://127.0.0.1:${port}/x`)), {
    code: "lookup_failed",
  });
  t.true(connections > 0);
});

test("configured URLs, listed networks and listed names are reached", async (t) => {
  const { url, port } = await server(t, (_request, response) => response.end("packages"));
  const named = `http://localhost:${port}/x`;
  t.is(await lookupWith({ urls: [`${url}/npm`] }).fetch(text(`${url}/x`)), "packages");
  t.is(await lookupWith({ allowed: ["127.0.0.0/8"] }).fetch(text(`${url}/x`)), "packages");
  t.is(await lookupWith({ allowed: ["127.0.0.0/8", "::1"] }).fetch(text(named)), "packages");
  t.is(await lookupWith({ allowed: ["localhost"] }).fetch(text(named)), "packages");
  await t.throwsAsync(
    lookupWith({ urls: ["http://127.0.0.1:1"] }).fetch(text(`${url}/x`)),
    refused,
  );
  await t.throwsAsync(lookupWith({ allowed: ["10.0.0.0/8"] }).fetch(text(`${url}/x`)), refused);
});

test("a redirect, and the issuer that a registry names, lead nowhere else either", async (t) => {
  const inner = await server(t, (_request, response) => response.end('{"token":"stolen"}'));
  const outer = await server(t, (request, response) => {
    if (request.url === "/moved") response.writeHead(302, { location: `${inner.url}/x` }).end();
    else response.writeHead(401, { "www-authenticate": `Bearer realm="${inner.url}/token"` }).end();
  });
  const lookup = lookupWith({ urls: [outer.url] });
  await t.throwsAsync(lookup.fetch(text(`${outer.url}/moved`)), refused);
  await t.throwsAsync(lookup.fetch(text(`${outer.url}/private`)), refused);
  t.is(inner.requests(), 0);
});

test("submodules and git dependencies: over HTTP, git and ssh", async (t) => {
  const { url, port, requests } = await server(t, (_request, response) => response.end(""));
  await t.throwsAsync(lookupWith().references(`${url}/acme/lib.git`), refused);
  t.is(requests(), 0);
  const ran: (readonly [argv: readonly string[], ssh: unknown])[] = [];
  const listing = (options: EgressOptions) =>
    lsRemote({
      run: async ({ argv, env }) => {
        ran.push([argv, env?.GIT_SSH_COMMAND]);
        const [stdout, stderr] = [new Uint8Array(), new Uint8Array()];
        const end = { exitCode: 0, signal: undefined, error: undefined, omitted: 0, duration: 1 };
        return { outcome: "exited", stdout, stderr, ...end };
      },
      local: [],
      egress: new Egress(options),
    });
  for (const address of [
    ...[
      `git://127.0.0.1:${port}/x`,
      "git://localhost/x",
      "ssh://git@127.0.0.1/x",
      "git@127.0.0.1:x",
    ],
    ...["ssh://git@[::1]:22/x", "ssh://10.0.0.1/x"],
  ])
    await t.throwsAsync(listing({})(address), refused, address);
  for (const address of [
    "ssh://$(id)/x",
    "ssh://a;id/x",
    "git://`id`/x",
    "ssh://-oProxyCommand=id/x",
  ])
    await t.throwsAsync(listing({})(address), { message: /not allowed/ }, address);
  t.deepEqual(ran, []);

  await listing({ allowed: ["127.0.0.0/8"] })("ssh://git@127.0.0.1:2222/x.git");
  await listing({ allowed: ["localhost"] })("git@localhost:x.git");
  t.deepEqual(
    ran.map(([argv, ssh]) => `${argv.at(-1)} ${ssh}`),
    [
      "ssh://git@127.0.0.1:2222/x.git ssh -oBatchMode=yes -oHostName=127.0.0.1 -oHostKeyAlias=[127.0.0.1]:2222",
      `git@localhost:x.git ${ran[1]?.[1]}`,
    ],
  );
  t.regex(String(ran[1]?.[1]), /-oHostName=(127\.0\.0\.1|::1) -oHostKeyAlias=localhost$/);
});

test("poisoned URLs of lock files are found before a tool reads them", (t) => {
  const egress = new Egress({ urls: ["http://127.0.0.1:4873/npm"], allowed: ["10.1.0.0/16"] });
  for (const url of [
    ...["http://169.254.169.254/latest/meta-data/x.tgz", "https://user@127.0.0.1:1/x.tgz"],
    ...["git+ssh://git@192.168.0.1/x.git", "http://2130706433/x", "http://localhost:80/x"],
    "http://[::ffff:10.0.0.1]/x",
  ])
    t.is(egress.refusedUrlIn(`{ "resolved": "${url}" }`), url);
  for (const url of [
    ...["https://registry.npmjs.org/a/-/a-1.0.0.tgz", "http://127.0.0.1:4873/npm/a.tgz"],
    ...["https://10.1.2.3/x", "file:///tmp/x", "://", "http://"],
  ])
    t.is(egress.refusedUrlIn(`resolved "${url}"`), undefined, url);
});

for (const [written, isValid] of [
  ["npm.internal", true],
  ["10.0.0.0/8", true],
  ["::1", true],
  ["fd00::/8", true],
  ["10.0.0.0/33", false],
  ["https://npm.internal", false],
  ["-x", false],
  ["", false],
] as const) {
  test(`"${written}" is ${isValid ? "a" : "no"} destination`, (t) => {
    t.is(badDestination(written) === undefined, isValid);
  });
}
