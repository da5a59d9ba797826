/** Spec §5, flag by flag: who is tested where, so that none is forgotten; and those that nobody else tests. */
import {
  chmodSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { connect } from "node:tls";
import type { ExecutionContext } from "ava";
import test from "ava";
import { child, output } from "../../../tests/support/child.js";
import { WEBHOOK } from "../../../tests/support/commands.js";
import { eventually } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import { ask, ended, launch, serving } from "./testing/running.js";

const one = [
  {
    id: "one",
    "execute-command": "/usr/bin/id",
    "include-command-output-in-response": true,
  },
];

test("every flag is in some test of this folder", async (t) => {
  const { stderr } = await ended(t, ["-h"]);
  const flags = [...stderr.matchAll(/^ {2}-([a-z-]+)$/gm)].map(([, name = ""]) => name);
  t.true(flags.length > 20);
  const tests = globSync("plugins/hooks/webhook/**/*.test.ts").map((path) =>
    readFileSync(path, "utf8"),
  );
  const all = [...tests, readFileSync("plugins/hooks/webhook/testing/running.ts", "utf8")].join(
    "\n",
  );
  t.deepEqual(
    flags.filter((name) => !new RegExp(`["'\`\\s]-${name}["'\`=\\s]`).test(all)),
    [],
  );
});

/** A key and a certificate that it signed itself. */
function certified(t: ExecutionContext): string {
  const directory = folder(t);
  const words = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    "/CN=localhost",
  ];
  output("openssl", [...words, "-keyout", "key.pem", "-out", "cert.pem"], { cwd: directory });
  return directory;
}

const secureGet = (port: number, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const run = request(
      { port, path, host: "127.0.0.1", rejectUnauthorized: false, agent: false },
      (answer) => {
        let text = "";
        answer.on("data", (data) => {
          text += data;
        });
        answer.on("end", () => resolve(`${answer.statusCode} ${text}`));
      },
    );
    run.on("error", reject);
    run.end();
  });

/** The version and suite that are agreed on; why not otherwise. */
const handshake = (port: number, options: object): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
    socket.on("secureConnect", () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
      socket.destroy();
    });
    socket.on("error", () => resolve("refused"));
  });

test("-secure serves HTTPS with -cert and -key, at least of -tls-min-version, with -cipher-suites only", async (t) => {
  const directory = certified(t);
  const suite = "ECDHE-RSA-AES128-GCM-SHA256";
  const files = ["-secure", "-cert", "cert.pem", "-key", "key.pem"];
  const server = await serving(t, one, ["-verbose", ...files, "-cipher-suites", suite], {
    directory,
  });
  t.regex(await secureGet(server.port, "/hooks/one"), /^200 uid=/);
  t.is(await handshake(server.port, { maxVersion: "TLSv1.2" }), `TLSv1.2 ${suite}`);
  t.is(
    await handshake(server.port, { maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES256-GCM-SHA384" }),
    "refused",
  );
  t.is(
    await handshake(server.port, {
      minVersion: "TLSv1.1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    }),
    "refused",
  );
  const strict = await serving(t, one, ["-verbose", ...files, "-tls-min-version", "1.3"], {
    directory,
  });
  t.is(await handshake(strict.port, { maxVersion: "TLSv1.2" }), "refused");
  t.regex(await handshake(strict.port, {}), /^TLSv1\.3 /);
});

test("-cipher-suites takes the names of the other server, too", async (t) => {
  const directory = certified(t);
  const names = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256";
  const server = await serving(t, one, ["-verbose", "-secure", "-cipher-suites", names], {
    directory,
  });
  const tls12 = { maxVersion: "TLSv1.2" };
  t.is(
    await handshake(server.port, { ...tls12, ciphers: "ECDHE-RSA-AES256-GCM-SHA384" }),
    "TLSv1.2 ECDHE-RSA-AES256-GCM-SHA384",
  );
  t.is(
    await handshake(server.port, { ...tls12, ciphers: "ECDHE-RSA-CHACHA20-POLY1305" }),
    "TLSv1.2 ECDHE-RSA-CHACHA20-POLY1305",
  );
  t.is(
    await handshake(server.port, { ...tls12, ciphers: "ECDHE-RSA-AES128-GCM-SHA256" }),
    "refused",
  );
});

const refusals: ReadonlyArray<readonly [words: readonly string[], says: RegExp]> = [
  [["-secure"], /certificate cert\.pem is needed for -secure, and there is no such file/],
  [["-secure", "-tls-min-version", "1.4"], /-tls-min-version 1\.4 is not one of/],
  [["-secure", "-cipher-suites", "NONSENSE"], /no cipher suite NONSENSE/],
  [["-setuid", "1000"], /-setuid and -setgid belong together/],
  [["-setgid", "1000"], /-setuid and -setgid belong together/],
  [["-setuid", "1", "-setgid", "1", "-socket", "s"], /-socket cannot be used with -setuid/],
];
for (const [words, says] of refusals) {
  test(`${words.join(" ")}: it does not start, and says why`, async (t) => {
    const { code, stderr, stdout } = await ended(t, ["-nopanic", "-port", "0", ...words]);
    t.is(code, 1);
    t.regex(stderr + stdout, says);
  });
}

test("-list-cipher-suites prints names that -cipher-suites takes", async (t) => {
  const { code, stdout } = await ended(t, ["-list-cipher-suites"]);
  t.is(code, 0);
  t.regex(stdout, /^TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256$/m);
  t.regex(stdout, /^(?:TLS_\w+\n)+$/);
});

test("-socket serves on a unix socket, which goes with the server", async (t) => {
  const directory = folder(t);
  const socket = join(directory, "s");
  writeFileSync(join(directory, "hooks.json"), JSON.stringify(one));
  const server = launch(t, ["-socket", socket, "-verbose"], directory);
  await eventually("the socket", () => existsSync(socket));
  t.is((await ask({ socketPath: socket }, "/hooks/one", {})).status, 200);
  const second = await ended(t, ["-socket", socket, "-verbose"], directory);
  t.is(second.code, 1);
  t.regex(second.stderr, /error listening on \S+\/s: the address is in use;/);
  t.is((await ask({ socketPath: socket }, "/hooks/one", {})).status, 200);
  server.kill("SIGTERM");
  t.is(await server.ended, 0);
  t.deepEqual(readdirSync(directory), ["hooks.json"]);
});

test("a socket that the service manager passes is used, and stays", async (t) => {
  const directory = folder(t);
  writeFileSync(join(directory, "hooks.json"), JSON.stringify(one));
  const passing = createServer();
  t.teardown(() => passing.close());
  await new Promise<void>((listening) => passing.listen(0, "127.0.0.1", listening));
  const { port } = passing.address() as { port: number };
  const handle = (passing as unknown as { _handle: { fd: number } })._handle;
  // The process that is started has to be the one that LISTEN_PID names.
  const script = `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$1" -verbose`;
  const server = child(t, "sh", ["-c", script, process.execPath, WEBHOOK], {
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe", handle.fd],
  });
  await server.says(/signal watcher ready/);
  passing.close();
  t.regex(server.stderr, new RegExp(`serving hooks on http://127\\.0\\.0\\.1:${port}/hooks`));
  t.is((await ask({ host: "127.0.0.1", port }, "/hooks/one", {})).status, 200);
  server.kill("SIGTERM");
  t.is(await server.ended, 0);
});

const isRoot = process.getuid?.() === 0;

test("-setuid and -setgid: commands run as that user and group, without root's others", async (t) => {
  const directory = folder(t);
  chmodSync(directory, 0o755);
  const words = ["-verbose", "-setuid", "65534", "-setgid", "65534"];
  if (!isRoot) {
    const { code, stderr } = await ended(t, ["-nopanic", "-port", "0", ...words], directory);
    t.is(code, 1);
    t.regex(stderr, /The user 65534 and group 65534 cannot be taken on/);
    return;
  }
  const server = await serving(t, one, words, { directory });
  const { status, body } = await server.ask("/hooks/one");
  t.is(status, 200);
  t.regex(body, /^uid=65534\S* gid=65534\S*( groups=65534\S*)?\n$/);
});

test("-pidfile has the number of the process and is gone with it", async (t) => {
  const directory = folder(t);
  const server = await serving(t, one, ["-verbose", "-pidfile", "webhook.pid"], { directory });
  const path = join(directory, "webhook.pid");
  t.is(readFileSync(path, "utf8").trim(), String(server.child.pid));
  await server.stop();
  t.is(statSync(path, { throwIfNoEntry: false }), undefined);
});

test("-header without `=` is a usage error", async (t) => {
  const { code, stderr } = await ended(t, ["-header", "bad"]);
  t.is(code, 2);
  t.regex(
    stderr,
    /^invalid value "bad" for flag -header: header flag must be in name=value format/,
  );
});

test("the same id in two of several files ends with 1", async (t) => {
  const directory = folder(t);
  for (const name of ["a.json", "b.json", "c.json"]) {
    const id = name === "c.json" ? "other" : "same";
    writeFileSync(join(directory, name), JSON.stringify([{ id, "execute-command": "/bin/true" }]));
  }
  const files = ["a.json", "b.json", "c.json"].flatMap((name) => ["-hooks", name]);
  const { code, stderr } = await ended(t, [...files, "-verbose", "-port", "0"], directory);
  t.is(code, 1);
  t.regex(
    stderr,
    /found 1 hook\(s\) in file\n.*error: hook with the id same has already been loaded!\nplease check/,
  );
});
