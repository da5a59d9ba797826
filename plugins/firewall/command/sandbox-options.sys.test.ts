import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { awf } from "../testing/security/attempts.js";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({ "allowed.test": ["93.184.216.34"] });
});
test.after.always(() => world[Symbol.asyncDispose]());

const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
const allowing = [...quiet, "--allow-domains", "allowed.test"];

test("host services are reachable by the alias on the listed ports only", async (t) => {
  const alias = "http://host.docker.internal:7777/";
  const through = (...args: string[]) =>
    world.awf([
      ...quiet,
      ...args,
      "--",
      `curl -s ${alias}; curl -s -x http://127.0.0.1:3128 ${alias}; echo $?`,
    ]);
  t.is(
    (await through("--enable-host-access", "--allow-host-ports", "7770-7780")).stdout,
    "a service of the host\na service of the host\n0\n",
  );
  t.false((await through("--enable-host-access")).stdout.includes("a service"));
  t.false((await through()).stdout.includes("a service"));
  t.false(
    (
      await through(
        "--enable-host-access",
        "--allow-host-ports",
        "7777",
        "--block-domains",
        "host.docker.internal",
      )
    ).stdout.includes("a service"),
  );
});

test("mounts appear at their targets in their mode, even where the host has nothing", async (t) => {
  const source = join(world.scratch, "source");
  mkdirSync(source);
  writeFileSync(join(source, "file"), "content\n");
  const args = ["-v", `${source}:/data/deep/in:ro`, "-v", `${source}:/usr/share/awf-here`];
  const { stdout } = await world.awf([
    ...quiet,
    ...args,
    "--container-workdir",
    "/data/deep/in",
    "--",
    "cat file; echo x > file; echo new > /usr/share/awf-here/made; cat made; test -d /usr/share/doc && echo kept",
  ]);
  t.is(stdout, "content\nnew\nkept\n");
  t.is(readFileSync(join(source, "file"), "utf8"), "content\n");
});

test("--allow-write leaves nothing else writable", async (t) => {
  const directory = join(world.workspace, "out");
  mkdirSync(directory);
  const { stdout } = await world.awf([
    ...quiet,
    "--allow-write",
    directory,
    "--",
    `touch ${directory}/ok && echo out; touch ${world.workspace}/no || echo workspace; touch "$HOME/no" || echo home; touch /tmp/ok && echo tmp`,
  ]);
  t.is(stdout, "out\nworkspace\nhome\ntmp\n");
});

test("without the chosen working directory the command starts in the home directory", async (t) => {
  const chosen = ["--log-level", "warn", "--container-workdir", "/no/such"];
  const { stdout, stderr } = await world.awf([
    ...chosen,
    "--",
    'test "$PWD" = "$HOME" && echo home',
  ]);
  t.is(stdout, "home\n");
  t.regex(
    stderr,
    /^\[WARN\] --container-workdir does not exist: \/no\/such\. The command starts in /,
  );
});

test("a logs directory that cannot be created is one sentence", async (t) => {
  const words = ["--proxy-logs-dir", "/proc/nope", "--", "true"];
  const { code, stderr } = await world.awf([...quiet, ...words]);
  t.is(code, 1);
  t.regex(stderr, /^\[ERROR\] Cannot write the log to \/proc\/nope \(ENOENT\)\. Choose .*\n$/);
});

test("a full disk loses records of the log, with one sentence, and the command goes on", async (t) => {
  const directory = join(world.scratch, "full");
  mkdirSync(directory);
  for (const name of ["access.log", "access.jsonl"])
    symlinkSync("/dev/full", join(directory, name));
  const { code, stdout, stderr } = await world.awf([
    ...["--log-level", "warn", "--proxy-logs-dir", directory, "--"],
    "curl -s -o /dev/null http://denied.test/; echo end",
  ]);
  t.deepEqual([code, stdout], [0, "end\n"]);
  t.regex(stderr, /\[WARN\] 1 records could not be written to the log \(ENOSPC\)/);
});

test("a removed current directory is one sentence", async (t) => {
  const call = `mkdir gone && cd gone && rmdir ../gone && exec ${process.execPath} ${awf} -- true`;
  const { code, stderr } = await world.start("/bin/sh", ["-c", call]).result;
  t.is(code, 1);
  t.is(
    stderr,
    "[ERROR] The current directory does not exist any more. Change to another one and run awf again\n",
  );
});

test("a temporary directory that cannot be used is one sentence, and nothing stays in it", async (t) => {
  const full = join(world.scratch, "full-tmp");
  mkdirSync(full);
  const script = `mount -t tmpfs -o size=16k tmpfs ${full} && { head -c 20000 /dev/zero > ${full}/x 2>/dev/null
    TMPDIR=${full} "$@"; ls ${full}; TMPDIR=/no/such "$@"; "$1" "$2" --work-dir ${full}/w -- true; }`;
  const run = [process.execPath, awf, "--log-level", "error", "--", "true"];
  const { stdout, stderr } = await world.start("/usr/bin/unshare", [
    ...["--mount", "--", "sh", "-c", script, "sh"],
    ...run,
  ]).result;
  const problem = (directory: string, reason: string) =>
    `[ERROR] Cannot write the files of the run to ${directory} (${reason}). Choose another directory with`;
  const expected = [
    `${problem(full, "ENOSPC")} TMPDIR`,
    `${problem("/no/such", "ENOENT")} TMPDIR`,
    "[INFO] Allowed domains: none",
    `${problem(`${full}/w`, "ENOSPC")} --work-dir`,
  ];
  t.deepEqual([stdout, stderr], ["x\n", `${expected.join("\n")}\n`]);
});

test("the environment reaches only the command, not other processes' memory or command lines", async (t) => {
  const { stdout } = await world.awf([
    ...quiet,
    "-e",
    "TOKEN=s3cret",
    "--",
    "echo $TOKEN; cat /proc/1/environ /proc/1/cmdline | tr '\\0' '\\n' | grep -c 's3[c]ret'",
  ]);
  t.is(stdout, "s3cret\n0\n");
});

test("--keep-containers keeps the run's files, --work-dir says where", async (t) => {
  const directory = join(world.scratch, "kept");
  const { stderr } = await world.awf([
    "--dns-servers",
    "8.8.8.8",
    "--work-dir",
    directory,
    "--engine",
    "native",
    "--keep-containers",
    "--",
    "true",
  ]);
  t.true(existsSync(join(directory, "arguments")));
  t.is(statSync(directory).mode & 0o777, 0o700);
  t.true(stderr.includes(`[INFO] Configuration files preserved at: ${directory}\n`));
});

test("http and https go through an upstream proxy", async (t) => {
  await using corporate = await createTestInternet({
    "allowed.test": ["93.184.216.34"],
    "parent.test": ["10.9.8.7"],
  });
  const asParent = ["--upstream-proxy", "http://user:pass@parent.test"];
  const { stdout } = await corporate.awf([
    ...allowing,
    ...asParent,
    "--",
    "curl -s http://allowed.test/x",
  ]);
  const { url, address, headers } = JSON.parse(stdout);
  t.deepEqual([url, address], ["http://allowed.test/x", "::ffff:10.9.8.7"]);
  t.is(headers["proxy-authorization"], `Basic ${Buffer.from("user:pass").toString("base64")}`);
  const refused = await corporate.awf([
    ...allowing,
    "--upstream-proxy",
    "ftp://user:pass@x",
    "--",
    "true",
  ]);
  t.deepEqual(
    [refused.code, refused.stderr],
    [1, "[ERROR] --upstream-proxy is not the URL of an HTTP proxy; write http://host:port\n"],
  );
});

const isRoot = process.getuid?.() === 0;
test("--memory and --pids limit the command, or name their requirements", async (t) => {
  if (!isRoot) {
    const { code, stderr } = await world.awf([...quiet, "--memory", "64m", "--", "true"]);
    t.is(code, 1);
    t.regex(stderr, /--memory and --pids need a control group that this user may make/);
    return;
  }
  // Runs of other files have groups, too, which may end while they are listed.
  const groups = () =>
    globSync("/sys/fs/cgroup/**/awf-*").filter((name) => /\/awf-\d+$/.test(name));
  const others = groups();
  const { stdout, stderr } = await world.awf([
    ...[...quiet, "--memory", "64m", "--pids", "12", "--"],
    "/usr/bin/python3 -c 'bytearray(200*1024*1024)'; echo $?; /usr/bin/python3 -c 'import os,time\nn=0\nwhile n<30:\n  try: p=os.fork()\n  except OSError: break\n  if p==0: time.sleep(9); os._exit(0)\n  n+=1\nprint(n<12,flush=True)\nos._exit(0)'",
  ]);
  t.is(stdout, "137\nTrue\n", stderr);
  const left = () => groups().filter((name) => !others.includes(name));
  await t.notThrowsAsync(eventually("the groups to be gone", () => left().length === 0));
});

test("awf logs finds a running command and its latest requests", async (t) => {
  await using own = await createTestInternet({ "allowed.test": ["93.184.216.34"] });
  const run = own.start(process.execPath, [
    ...[awf, ...allowing, "--"],
    "curl -s http://allowed.test/ >/dev/null; echo asked; sleep 600",
  ]);
  await run.program.says(/asked/);
  t.regex(
    (await own.awf(["logs", "--list"])).stdout,
    /^Available log sources:\n {2}\[running\] .*awf-\d+ \(live container\)\n$/,
  );
  const { stdout, stderr } = await eventually("the request in its log", async () => {
    const shown = await own.awf(["logs", "--source", "running"]);
    return shown.stdout !== "" && shown;
  });
  t.regex(stdout, /GET allowed\.test → 200 \(ALLOWED\) \[curl/);
  t.regex(stderr, /^\[INFO\] Using live logs from running container: /);
  run.child.kill("SIGTERM");
  t.is((await run.result).code, 143);
  t.regex((await own.awf(["logs", "--list"])).stdout, /\[preserved\]/);
});

/** Runs awf on a system whose `bwrap` and `ip` cannot be run. */
function withoutPrograms(args: readonly string[]) {
  const hide =
    'for p in bwrap ip; do mount --bind /dev/null "$(readlink -f "$(command -v $p)")"; done; exec "$@"';
  const words = ["--mount", "--", "sh", "-c", hide, "sh", process.execPath, awf, ...args];
  return world.start("/usr/bin/unshare", words).result;
}

test("doctor reports no missing requirement on a working system", async (t) => {
  const { code, stdout } = await world.awf(["doctor", "--json"]);
  const { ok, findings } = JSON.parse(stdout);
  t.deepEqual([code, ok], [0, true], JSON.stringify(findings));
  const without = await withoutPrograms(["doctor"]);
  t.is(without.code, 1);
  t.regex(without.stdout, /missing {2}bwrap: not found.*\n +do: .*apt-get install -y bubblewrap/);
});

test("a run without bubblewrap names the packages to install", async (t) => {
  const { code, stderr } = await withoutPrograms(["--", "true"]);
  t.is(code, 1);
  t.regex(
    stderr,
    /\[ERROR\] awf needs iproute2 and bubblewrap, which this system lacks\. Run: .*apt-get install -y iproute2 bubblewrap\n/,
  );
});

test("WebSocket and large bodies pass in both directions", async (t) => {
  const script = [
    "curl -s http://allowed.test/bytes/20000000 | wc -c",
    "head -c 5000000 /dev/zero | curl -s -T - http://allowed.test/up | grep -o '\"received\":[0-9]*'",
    "curl -sk https://allowed.test/bytes/20000000 | wc -c",
    `/usr/bin/python3 -c 'import socket
s = socket.create_connection(("allowed.test", 80))
s.sendall(b"GET /ws HTTP/1.1\\r\\nHost: allowed.test\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n")
print(s.recv(1000).split(b" ")[1].decode())
s.sendall(b"ping")
print(s.recv(10).decode())'`,
  ];
  const { stdout, stderr } = await world.awf([...allowing, "--", script.join("\n")]);
  t.is(stdout, '20000000\n"received":5000000\n20000000\n101\nping\n', stderr);
});
