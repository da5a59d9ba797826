import { readFileSync } from "node:fs";
import test from "ava";
import { inBatches } from "../testing/batches.js";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({
    "allowed.test": ["93.184.216.34"],
    "other.test": ["93.184.216.35"],
    "inside.allowed.test": ["127.0.0.1"],
    "six.allowed.test": ["2606:2800:220:1::1"],
  });
});
test.after.always(() => world[Symbol.asyncDispose]());

const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
/** Connects without a proxy and prints what the server says first. */
const direct = (host: string, port: number) =>
  `timeout 10 bash -c 'exec 3<>/dev/tcp/${host}/${port} && head -c 13 <&3' 2>&1`;
const throughProxy = (target: string) =>
  `/usr/bin/python3 -c 'import socket as s; c=s.create_connection(("127.0.0.1",3128)); c.settimeout(10); c.sendall(b"CONNECT ${target} HTTP/1.1\\r\\nHost: ${target}\\r\\n\\r\\n"); f=c.makefile("rb"); print(f.readline()[9:12].decode()); [None for l in iter(f.readline, b"\\r\\n") if l]; print(f.read(13).decode())'`;
/** Prints the code of SOCKS and what the server says first. */
const throughSocks = (host: string, port: number, command = 1) =>
  `/usr/bin/python3 -c 'import socket as s; c=s.create_connection(("127.0.0.1",3128)); c.settimeout(10); c.sendall(b"\\x05\\x01\\x00"); c.recv(2); c.sendall(b"\\x05\\x0${command}\\x00\\x03"+bytes([${host.length}])+b"${host}"+(${port}).to_bytes(2, "big")); r=c.recv(10); print(r[1], c.recv(13).decode())'`;
const status = "curl -sk -m 10 -o /dev/null -w '%{http_code}'";

interface Case {
  readonly title: string;
  readonly allow: string;
  readonly command: string;
  readonly gets: string | RegExp;
  readonly args?: readonly string[];
  /** The commands of other cases would change what it gets. */
  readonly needsOwnRun?: true;
}

const ssh = "git@allowed.test:22";
const cases: readonly Case[] = [
  {
    title: "a listed port answers a program that uses no proxy",
    allow: ssh,
    command: direct("allowed.test", 22),
    gets: "SSH-2.0-world",
  },
  {
    title: "a listed port answers over IPv6",
    allow: ssh,
    command: direct("six.allowed.test", 22),
    gets: "SSH-2.0-world",
  },
  {
    title: "a listed port answers through CONNECT",
    allow: ssh,
    command: throughProxy("allowed.test:22"),
    gets: "200\nSSH-2.0-world",
  },
  {
    title: "a listed port answers through SOCKS",
    allow: ssh,
    command: throughSocks("allowed.test", 22),
    gets: "0 SSH-2.0-world",
  },
  {
    title: "SOCKS denies the port of another name, and other commands than connecting",
    allow: `${ssh},other.test`,
    command: `${throughSocks("other.test", 22)}; ${throughSocks("allowed.test", 22, 2)}`,
    gets: /^2 \n7 \n$/,
  },
  {
    title: "https and http through SOCKS are checked by name",
    allow: "allowed.test",
    command: `curl -sk -m 20 -o /dev/null -w '%{http_code} ' -x socks5h://127.0.0.1:3128 https://allowed.test/; curl -s -m 20 -o /dev/null -w '%{http_code} ' -x socks5h://127.0.0.1:3128 http://allowed.test/; curl -sk -m 20 -o /dev/null -w '%{http_code} ' -x socks5h://127.0.0.1:3128 https://other.test/; curl -s -m 20 -o /dev/null -w '%{http_code} ' -x socks5h://127.0.0.1:3128 -H 'Host: other.test' http://allowed.test/; true`,
    gets: "200 200 000 403",
  },
  {
    title: "CONNECT to the port of another name is denied",
    allow: `${ssh},other.test`,
    command: throughProxy("other.test:22"),
    gets: /^403/,
  },
  {
    title: "the port of another listed name is closed to a program that uses no proxy",
    allow: `${ssh},other.test`,
    command: direct("other.test", 22),
    gets: /^(?!.*SSH)/s,
  },
  {
    title: "the address of a listed name is closed until the name has been resolved",
    allow: ssh,
    command: direct("93.184.216.34", 22),
    gets: /^(?!.*SSH)/s,
    needsOwnRun: true,
  },
  {
    title: "a listed address and port answers",
    allow: "93.184.216.35:22",
    command: direct("93.184.216.35", 22),
    gets: "SSH-2.0-world",
  },
  {
    title: "a name with a listed port does not lead inside",
    allow: "allowed.test:7777",
    command: `curl -s -m 10 --noproxy '*' http://inside.allowed.test:7777/ || echo closed`,
    gets: "closed",
  },
  {
    title: "an entry with a port closes 80 and 443",
    allow: ssh,
    command: `${status} http://allowed.test/; ${status} https://allowed.test/`,
    gets: "403000",
  },
  {
    title: "http on a listed port",
    allow: "http://allowed.test:8080",
    command: `${status} http://allowed.test:8080/; ${status} --noproxy '*' http://allowed.test:8080/; ${status} --noproxy '*' -H 'Host: other.test:8080' http://allowed.test:8080/`,
    gets: "200200403",
  },
  {
    title: "https on a listed port",
    allow: "https://allowed.test:8443",
    command: `${status} https://allowed.test:8443/; ${status} --noproxy '*' https://allowed.test:8443/; ${status} --noproxy '*' --resolve other.test:8443:93.184.216.34 https://other.test:8443/`,
    gets: "200200000",
  },
  {
    title: "decrypted https on a listed port",
    allow: "https://allowed.test:8443,allowed.test",
    args: ["--ssl-bump", "--allow-urls", "https://allowed.test/ok"],
    command: `${status} https://allowed.test:8443/ok; ${status} https://allowed.test/no`,
    gets: "403403",
  },
  {
    title: "a port of this machine by its keyword",
    allow: "localhost:7777",
    command: "curl -s -m 10 http://host.docker.internal:7777/",
    gets: "a service of the host",
  },
];
const outcomeOf = inBatches(
  cases,
  ({ allow, args, needsOwnRun }) => (args || needsOwnRun ? undefined : allow),
  ({ allow, args = [] }, command) =>
    world.awf([...quiet, "--allow-domains", allow, ...args, "--", command]),
);
for (const each of cases) {
  const { title, gets } = each;
  test(title, async (t) => {
    const { stdout, stderr } = await outcomeOf(each);
    if (typeof gets === "string") t.is(stdout.trim(), gets, stderr);
    else t.regex(stdout, gets, stderr);
  });
}

test("the log has port, rule and bytes of a connection on a listed port", async (t) => {
  const logs = `${world.scratch}/port-logs`;
  const options = [...quiet, "--allow-domains", ssh, "--proxy-logs-dir", logs];
  await world.awf([...options, "--", `${direct("allowed.test", 22)}; ${direct("8.8.4.4", 22)}`]);
  const { stdout } = await world.awf(["logs", "--source", logs, "--format", "json"]);
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  t.deepEqual(
    // A tunnel is recorded at its end, which may come later.
    records.map(({ url, destPort, isAllowed }) => `${url} ${destPort} ${isAllowed}`).sort(),
    ["8.8.4.4:22 - false", "allowed.test:22 22 true"],
  );
});

test("bytes that come with a CONNECT request arrive, and count", async (t) => {
  const logs = `${world.scratch}/early-logs`;
  const command = `/usr/bin/python3 -c 'import socket as s; c=s.create_connection(("127.0.0.1",3128)); c.settimeout(10); c.sendall(b"CONNECT allowed.test:8080 HTTP/1.1\\r\\nHost: allowed.test:8080\\r\\n\\r\\nGET /early HTTP/1.0\\r\\nHost: x\\r\\n\\r\\n"); print(b"".join(iter(lambda: c.recv(999), b"")).decode())'`;
  const options = [...quiet, "--allow-domains", "allowed.test:8080", "--proxy-logs-dir", logs];
  const { stdout } = await world.awf([...options, "--", command]);
  t.regex(stdout, /"url":"\/early"/);
  const [line = ""] = readFileSync(`${logs}/access.jsonl`, "utf8").split("\n");
  t.is((JSON.parse(line) as { bytesSent: number }).bytesSent, 32);
});

test("the learned list has ports", async (t) => {
  const { stderr } = await world.awf([
    ...["--learn", "--dns-servers", "8.8.8.8", "--allow-domains", ssh],
    ...["--", direct("allowed.test", 22)],
  ]);
  t.regex(stderr, /To allow what the command reached: --allow-domains "allowed\.test:22"/);
});

test("an entry with a port is explained", async (t) => {
  const explain = (subject: string) =>
    world.awf(["--allow-domains", ssh, "--explain", subject]).then(({ stdout }) => stdout.trim());
  t.is(
    await explain("allowed.test:22"),
    "allowed.test:22 over tcp: allowed (entry 'git@allowed.test:22', rule allow-port-plain)",
  );
  t.is(
    await explain("other.test:22"),
    "other.test:22 over tcp: denied, the allowlist does not have other.test with port 22 (rule deny-port)",
  );
});
