/** The proxy of a run survives floods and malformed clients. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { AWF } from "../../../tests/support/commands.js";
import { inBatches } from "../testing/batches.js";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({ "allowed.test": ["93.184.216.34"] });
});
test.after.always(() => world[Symbol.asyncDispose]());

const args = [
  "--log-level",
  "error",
  "--dns-servers",
  "8.8.8.8",
  "--allow-domains",
  "allowed.test",
  "--",
];
const stillDecides =
  "curl -s -o /dev/null -w '%{http_code}' http://allowed.test/; curl -s -o /dev/null -w ' %{http_code}' http://evil.test/";

/** Python programs without single quotes; `c()` is a new connection to the explicit proxy. */
const attacks: ReadonlyArray<readonly [name: string, program: string]> = [
  [
    "headers without end",
    'x=c()\ntry:\n  x.sendall(b"GET http://allowed.test/ HTTP/1.1\\r\\n")\n  for i in range(20000): x.sendall(b"X-%d: %s\\r\\n" % (i, b"y"*100))\nexcept OSError: pass',
  ],
  [
    "one endless header",
    'x=c()\ntry:\n  x.sendall(b"GET http://allowed.test/ HTTP/1.1\\r\\nX: ")\n  for i in range(200): x.sendall(b"y"*65536)\nexcept OSError: pass',
  ],
  [
    "a thousand silent connections",
    "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE,(1024,1024))\nk=[c() for i in range(900)]",
  ],
  [
    "connections that are reset at once",
    'import struct\nfor i in range(500):\n  x=c(); x.setsockopt(s.SOL_SOCKET, s.SO_LINGER, struct.pack("ii",1,0)); x.sendall(b"GET http://allowed.test/ HTTP/1.1\\r\\nHost: allowed.test\\r\\n\\r\\n"); x.close()',
  ],
  [
    "random bytes",
    "import random\nrandom.seed(1)\nfor i in range(500):\n  x=c(random.choice([3128,80,443])); x.sendall(bytes(random.randrange(256) for _ in range(random.randrange(1,300)))); x.close()",
  ],
  [
    "a hello that never ends",
    'x=c(443)\ntry:\n  for i in range(2000): x.sendall(b"\\x16\\x03\\x01\\x00\\x01\\x01")\nexcept OSError: pass',
  ],
  [
    "pipelined requests, allowed and denied in turn",
    'x=c()\nx.sendall(b"".join(b"GET http://%s/ HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % (h,h) for h in [b"allowed.test",b"evil.test"]*50))\nx.settimeout(5)\nx.recv(65536)',
  ],
  [
    "DNS questions without end",
    'u=s.socket(2,2)\nu.connect(("8.8.8.8",53))\nimport random\nfor i in range(5000): u.send(bytes(random.randrange(256) for _ in range(random.randrange(0,60))))',
  ],
];
const commands = attacks.map(([name, program]) => {
  const code = `import socket as s\ndef c(port=3128): return s.create_connection(("127.0.0.1",port))\n${program}`;
  return { name, command: `/usr/bin/python3 -c '${code}' >/dev/null; ${stillDecides}` };
});
const outcomeOf = inBatches(
  commands,
  () => "one after the other",
  (_, command) => world.awf([...args, command]),
);
for (const each of commands) {
  test(`${each.name}: the next request gets its usual verdict`, async (t) => {
    const { stdout, stderr, code } = await outcomeOf(each);
    t.is(stdout, "200 403", stderr);
    t.is(code, 0);
  });
}

test("with five thousand slow requests open, the next one gets its usual verdict and process", async (t) => {
  t.timeout(300_000);
  const program = `
import resource, socket
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
def send(text):
    s = socket.create_connection(("127.0.0.1", 3128)); s.sendall(text.encode()); return s
slow = [send("GET http://allowed.test/ HTTP/1.1\\r\\nX: ") for _ in range(min(5000, most - 100))]
for name in ("allowed", "evil"):
    s = send("GET http://%s.test/ HTTP/1.1\\r\\nHost: %s.test\\r\\nConnection: close\\r\\n\\r\\n" % (name, name))
    print(s.recv(12)[9:].decode())
`;
  const logs = join(world.scratch, "logs");
  const words = ["--proxy-logs-dir", logs, ...args, "/usr/bin/python3", "-c", program];
  const { stdout, stderr } = await world.awf(words);
  t.is(stdout, "200\n403\n", stderr);
  const records = readFileSync(join(logs, "access.jsonl"), "utf8").trimEnd().split("\n");
  const denied = records.map((line) => JSON.parse(line)).filter(({ url }) => /evil/.test(url));
  t.deepEqual(
    denied.map(({ comm }) => comm),
    ["python3"],
  );
});

test("a hundred simultaneous downloads arrive complete", async (t) => {
  const { stdout } = await world.awf([
    ...args,
    "seq 100 | xargs -P 100 -I{} sh -c 'curl -sk https://allowed.test/bytes/300000 | wc -c' | sort | uniq -c | tr -s ' '",
  ]);
  t.is(stdout, " 100 300000\n");
});

test("a directory that awf inherits open is not open inside", async (t) => {
  const { stdout } = await world.start("/bin/bash", [
    "-c",
    `exec 9</ 77</ 200</; exec "$@"`,
    "bash",
    process.execPath,
    AWF,
    ...args,
    "ls /proc/self/fd | tr '\\n' ' '",
  ]).result;
  t.is(stdout, "0 1 2 3 ");
});
