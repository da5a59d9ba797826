/** Hooks over TLS: real certificates, real handshakes. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { chmod, copyFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { connect } from "node:tls";
import test, { type ExecutionContext } from "ava";
import { keepCertificate } from "../../daemon/http/listeners/tls.js";
import { KeptLog } from "../../daemon/http/testing/kept-log.js";
import { namesIn } from "../../plugins/hooks/server/certificate.js";
import { type HooksFixture, startFixture } from "../../plugins/hooks/testing/fixture.js";
import { hook, SERVER, WAIT } from "../../plugins/hooks/testing/pieces.js";
import { eventually } from "../support/eventually.js";
import { type Authority, authority, type Pair } from "./certificates.js";

const server = (own: Pair, more = "") => `hook_server "main" {
  listen = "127.0.0.1:0"
  tls {
    cert = "${own.certPath}"
    key = "${own.keyPath}"
    ${more}
  }
}
`;
const HELLO = hook("hello", `run = ["echo", "hello"]\n${WAIT}`);

interface TlsRequest {
  readonly path?: string;
  readonly client?: Pair;
  readonly headers?: Record<string, string>;
  readonly maxVersion?: "TLSv1.2";
  readonly ciphers?: string;
}

/** The status and the text, or the code of the error that came instead. */
function ask(
  at: HooksFixture,
  { cert }: Authority,
  { path = "hello", client, ...more }: TlsRequest = {},
): Promise<string> {
  const [listener] = at.plugin.listeners;
  const [hostname, port] = (listener?.address ?? "").split(":");
  const shown = client === undefined ? {} : { cert: client.cert, key: client.key };
  return new Promise((resolve) => {
    const sent = request(
      {
        ...{ hostname, port, path: `/hooks/${path}`, method: "POST", ca: cert, agent: false },
        ...shown,
        ...more,
      },
      async (response) => {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        resolve(`${response.statusCode} ${text.trim()}`);
      },
    );
    sent.once("error", ({ code = "" }: NodeJS.ErrnoException) => resolve(code));
    sent.end();
  });
}

const alerted = (t: ExecutionContext, code: string) =>
  t.regex(code, /^(ERR_SSL_|ECONNRESET|EPIPE|EPROTO)/);

test("a hook over TLS, and a client that speaks too old a version", async (t) => {
  const ca = await authority(t);
  const own = await ca.issue("server");
  const at = await startFixture(t, server(own) + HELLO);
  t.is(await ask(at, ca), "200 hello");
  t.is(await ask(at, ca, { maxVersion: "TLSv1.2" }), "200 hello");
  t.deepEqual(await at.edit(server(own, 'min_version = "1.3"') + HELLO), []);
  await at.plugin.until(() => at.plugin.listeners.length > 0, "the listener");
  t.is(await ask(at, ca), "200 hello");
  alerted(t, await ask(at, ca, { maxVersion: "TLSv1.2" }));
});

/** What a client that offers one suite of TLS 1.2 gets. */
const offer = (at: HooksFixture, ca: Authority, ciphers: string): Promise<string> =>
  ask(at, ca, { maxVersion: "TLSv1.2", ciphers: `${ciphers}:@SECLEVEL=0` });

for (const [key, exchange] of [
  ["ec", "ECDHE-ECDSA"],
  ["rsa", "ECDHE-RSA"],
] as const) {
  test(`only ${exchange} with AES-GCM or ChaCha20-Poly1305 is accepted, or what \`ciphers\` lists`, async (t) => {
    const ca = await authority(t);
    const own = await ca.issue("server", undefined, key);
    const at = await startFixture(t, server(own) + HELLO);
    const strong = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"];
    for (const suite of strong)
      t.is(await offer(at, ca, `${exchange}-${suite}`), "200 hello", suite);
    const cbc = [`${exchange}-AES128-SHA`, `${exchange}-AES128-SHA256`, `${exchange}-AES256-SHA`];
    for (const suite of [...cbc, "AES128-GCM-SHA256", "AES256-GCM-SHA384", "AES256-SHA"])
      alerted(t, await offer(at, ca, suite));

    const weak = cbc.map((suite) => `"${suite}"`).join(", ");
    t.deepEqual(await at.edit(server(own, `ciphers = [${weak}]`) + HELLO), []);
    for (const suite of cbc.slice(0, 1))
      t.is(await offer(at, ca, suite), "200 hello", "as configured");
    alerted(t, await offer(at, ca, `${exchange}-AES128-GCM-SHA256`));
    t.is(await ask(at, ca), "200 hello", "TLS 1.3");

    const iana = `TLS_${exchange.replace("-", "_")}_WITH_AES_256_GCM_SHA384`;
    t.deepEqual(await at.edit(server(own, `ciphers = ["${iana}"]`) + HELLO), []);
    t.is(await offer(at, ca, `${exchange}-AES256-GCM-SHA384`), "200 hello");
    alerted(t, await offer(at, ca, `${exchange}-AES128-GCM-SHA256`));
  });
}

test("a key that every user can read is a warning, and is used", async (t) => {
  const ca = await authority(t);
  const own = await ca.issue("server");
  await chmod(own.keyPath, 0o644);
  const at = await startFixture(t, SERVER + HELLO);
  const [warning, ...others] = await at.edit(server(own) + HELLO);
  t.is(warning, `the permissions of \`${own.keyPath}\` let every user read the private key`);
  t.deepEqual(others, []);
  t.is(await ask(at, ca), "200 hello");
});

for (const isolation of ["inline", "worker", "process"] as const)
  test(`clients with certificates: by subject, by name, by fingerprint, or not at all (${isolation})`, async (t) => {
    const ca = await authority(t);
    const own = await ca.issue("server");
    const [build, test2, other] = [
      await ca.issue("build-1", "DNS:build.example.com"),
      await ca.issue("tester", "DNS:test.example.com,IP:192.0.2.7"),
      await ca.issue("somebody", "DNS:somebody.example.com"),
    ];
    const untrusted = await (await authority(t)).issue("build-1", "DNS:build.example.com");
    const { fingerprint256 } = new X509Certificate(other.cert);
    const guarded = (name: string, how: string) =>
      hook(name, `run = ["echo", "${name}"]\nverify "mtls" { ${how} }\n${WAIT}`);
    const hooks =
      guarded("subject", 'subjects = ["build-1"]') +
      guarded("name", 'names = ["test.example.com"]') +
      guarded("fingerprint", `fingerprints = ["${fingerprint256}"]`);
    const optional = `client_ca = "${ca.certPath}"\nclient_cert = "optional"`;
    const at = await startFixture(t, server(own, optional) + hooks + HELLO, { isolation });
    const statuses = async (client?: Pair): Promise<string> => {
      const answers: string[] = [];
      for (const path of ["subject", "name", "fingerprint", "hello"]) {
        answers.push(await ask(at, ca, client === undefined ? { path } : { path, client }));
      }
      return answers.map((answer) => answer.slice(0, 3)).join(" ");
    };
    t.is(await statuses(build), "200 401 401 200");
    t.is(await statuses(test2), "401 200 401 200");
    t.is(await statuses(other), "401 401 200 200");
    t.is(await statuses(untrusted), "401 401 401 200");
    t.is(await statuses(), "401 401 401 200");
    t.deepEqual(await at.edit(server(own, `client_ca = "${ca.certPath}"`) + hooks + HELLO), []);
    t.is(await statuses(build), "200 401 401 200");
    alerted(t, await ask(at, ca));
    alerted(t, await ask(at, ca, { client: untrusted }));
  });

test("what is wrong with certificates is said when the configuration is read", async (t) => {
  const ca = await authority(t);
  const [own, other] = [await ca.issue("server"), await ca.issue("other")];
  const at = await startFixture(t, server(own) + HELLO);
  for (const [config, complaint] of [
    [
      server({ ...own, certPath: "/nowhere/cert.pem" }),
      /^`\/nowhere\/cert\.pem`: there is no such/,
    ],
    [server({ ...own, keyPath: other.keyPath }), /^the certificate does not match the key/],
    [server(own, 'ciphers = ["ROT13"]'), /there is no cipher suite `ROT13`/],
    [server(own, 'ciphers = ["TLS_AES_128_GCM_SHA256"]'), /suite of TLS 1\.3, which is always/],
    [
      server(own, 'min_version = "1.3"\nciphers = ["ECDHE-RSA-AES128-GCM-SHA256"]'),
      /TLS 1\.3 has its own suites/,
    ],
    [server(own, 'client_cert = "optional"'), /this needs `client_ca`/],
    [
      server(own) + hook("x", 'run = ["true"]\nverify "mtls" { subjects = ["a"] }'),
      /^the hook's server does not request client certificates/,
    ],
    [
      `${server(own)}hook_server "default" { listen = "127.0.0.1:0"; prefix = "plain" }\n`.replaceAll(
        "127.0.0.1:0",
        `unix:${join(dirname(own.certPath), "hooks.sock")}`,
      ),
      /listens there with another `tls`/,
    ],
  ] as const) {
    const [first] = await at.edit(config + HELLO);
    t.regex(first ?? "nothing", complaint);
  }
  t.is(await ask(at, ca), "200 hello");
});

test("a new certificate in the files is used for the next connection; a broken one is not", async (t) => {
  const ca = await authority(t);
  const [first, second] = [await ca.issue("first"), await ca.issue("second")];
  const live = await ca.issue("live");
  const put = async (pair: Pair): Promise<void> => {
    await copyFile(pair.keyPath, live.keyPath);
    await copyFile(pair.certPath, live.certPath);
  };
  await put(first);
  const log = new KeptLog();
  const https = createServer((_request, response) => response.end());
  await keepCertificate(https, { cert: live.certPath, key: live.keyPath }, log, 10);
  https.listen(0, "127.0.0.1");
  await once(https, "listening");
  t.teardown(() => https.close());
  const { port } = https.address() as AddressInfo;
  const subject = async (): Promise<unknown> => {
    const socket = connect({ port, host: "127.0.0.1", ca: ca.cert });
    await once(socket, "secureConnect");
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return subject.CN;
  };
  t.is(await subject(), "first");
  await copyFile(second.certPath, live.certPath);
  await eventually("the log to say that it keeps the first", () =>
    log.lines.some((line) => JSON.stringify(line).includes("keeps")),
  );
  t.is(await subject(), "first");
  await put(second);
  await eventually("the second", async () => (await subject()) === "second", { every: 10 });
  t.pass();
});

for (const [written, names] of [
  ["DNS:a.example.com, IP Address:192.0.2.7", ["a.example.com", "192.0.2.7"]],
  ["email:ci@example.com, URI:spiffe://a/b", ["ci@example.com", "spiffe://a/b"]],
  ["", []],
  ['DNS:"a.example.com, DNS:b.example.com"', []],
] as const) {
  test(`the names in ${JSON.stringify(written)}`, (t) => t.deepEqual(namesIn(written), names));
}

for (const isolation of ["inline", "worker"] as const) {
  test(`a hook of a plugin in isolation ${isolation} over HTTP/2`, async (t) => {
    const ca = await authority(t);
    const { certPath, keyPath } = await ca.issue("server");
    const server = `hook_server "main" {
      listen = "127.0.0.1:0"
      tls { cert = "${certPath}"; key = "${keyPath}" }
    }\n`;
    const echo = hook("echo", `run = ["echo", payload.name, header["x-a"]]\n${WAIT}`);
    const at = await startFixture(t, server + echo, { isolation });
    const [listener] = at.plugin.listeners;
    const session = connectHttp2(`https://${listener?.address}`, { ca: ca.cert });
    t.teardown(() => session.destroy());
    const stream = session.request({
      ...{ ":method": "POST", ":path": "/hooks/echo", "x-a": "b" },
      "content-type": "application/json",
    });
    stream.end('{"name": "Jürgen"}');
    const [headers] = await once(stream, "response");
    const text = (await stream.setEncoding("utf8").toArray()).join("");
    t.deepEqual([headers[":status"], text.trim()], [200, "Jürgen b"]);
  });
}
