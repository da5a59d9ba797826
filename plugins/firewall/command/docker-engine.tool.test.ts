/** Runs in containers of a real Docker engine. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { output } from "../../../tests/support/child.js";
import { allowing, cases, quiet, runner, zone } from "../testing/cases.js";
import { type DockerEngineForTests, startDocker } from "../testing/docker.js";
import {
  createTestInternet,
  type Result,
  type StartOptions,
  type TestInternet,
} from "../testing/test-internet.js";

const isRoot = process.getuid?.() === 0;
const image = ["--image-registry", "local.test/awf", "--image-tag", "1", "--skip-pull"];

let docker: DockerEngineForTests;
let world: TestInternet;
test.before(async () => {
  world = await createTestInternet(zone);
  if (!isRoot) return;
  docker = await startDocker();
  await docker.importImage("local.test/awf/agent:1");
  await docker.importImage("ubuntu:22.04");
});
test.after.always(async () => {
  await docker?.[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

// Starting containers takes long on a small machine.
test.beforeEach((t) => t.timeout(120_000));

/** Runs `awf` with the image that is already there. */
function run(args: readonly string[], options: StartOptions = {}): Promise<Result> {
  return runPlain([...image, ...args], options);
}

function runPlain(args: readonly string[], options: StartOptions = {}): Promise<Result> {
  const environment = { ...docker.environment, ...options.environment };
  return world.awf(args, { ...options, environment });
}

test("an unreachable engine gives an error with advice", async (t) => {
  const environment = { DOCKER_HOST: "unix:///no/such/docker.sock" };
  const { code, stderr } = await world.awf([...image, "--", "true"], { environment });
  t.is(code, 1);
  t.regex(
    stderr,
    isRoot
      ? /^\[ERROR\] The Docker engine does not answer at unix:\/\/\/no\/such\/docker\.sock \(ENOENT\)\. Start it, name another by DOCKER_HOST, or use --engine native$/m
      : /^\[ERROR\] (?:The Docker engine does not answer at .*|.* by root\..*)$/m,
  );
});

if (isRoot) {
  // Before all others, which have the engine at the same time.
  test.serial("simultaneous runs do not affect each other and leave nothing", async (t) => {
    const results = await Promise.all(
      [1, 2, 3].map((n) => run([...allowing, "--", `curl -s http://allowed.test/${n}; exit ${n}`])),
    );
    t.deepEqual(
      results.map(({ code, stdout }) => [code, stdout && JSON.parse(stdout).url]),
      [1, 2, 3].map((n) => [n, `/${n}`]),
    );
    t.deepEqual(await docker.api.ask("GET", "/containers/json?all=1"), []);
    const networks = await docker.api.ask<ReadonlyArray<{ Name: string }>>("GET", "/networks");
    t.deepEqual(networks.map(({ Name }) => Name).sort(), ["host", "none"]);
  });

  const outcomeOf = runner((args, command) => run([...args, "--", command]));
  for (const each of cases) {
    const { title, code = 0, stdout } = each;
    test(`in a container, ${title}`, async (t) => {
      const result = await outcomeOf(each);
      t.is(result.code, code, result.stderr);
      if (stdout instanceof RegExp) t.regex(result.stdout, stdout);
      else if (stdout !== undefined) t.is(result.stdout, stdout);
    });
  }

  test("several words are a program and its arguments, untouched", async (t) => {
    const words = ["printf", "%s|", "a b", "$HOME", "*", "", "--help"];
    t.is((await run([...quiet, "--", ...words])).stdout, "a b|$HOME|*||--help|");
  });

  test("input, output and errors pass unchanged at any length", async (t) => {
    const stdin = Buffer.alloc(3_000_000, "0123456789abcde\n");
    const { stdout, stderr } = await run([...quiet, "--", "cat; echo wrong >&2"], { stdin });
    t.true(stdout === stdin.toString());
    t.is(stderr, "wrong\nProcess exiting with code: 0\n");
  });

  test("--tty gives the command a terminal and returns its exit code", async (t) => {
    const { stdout, code } = await run([
      ...quiet,
      "--tty",
      "--",
      "test -t 0 && test -t 1 && echo terminal; exit 5",
    ]);
    t.deepEqual([stdout.trim(), code], ["terminal", 5]);
  });

  test("each record names the process", async (t) => {
    const logs = join(world.scratch, "logs");
    await run([
      ...[...allowing, "--proxy-logs-dir", logs, "--"],
      "curl -sk https://allowed.test/; (sh -c 'curl -s http://denied.test/; touch /tmp/up' &); until [ -e /tmp/up ]; do sleep 0.05; done",
    ]);
    const records = readFileSync(join(logs, "access.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    t.deepEqual(records.map(({ rule, comm }) => [rule, comm]).sort(), [
      ["allow-both-plain", "curl"],
      ["deny-default", "curl"],
    ]);
  });

  test("neither the engine's resolver nor its socket bypasses the policy", async (t) => {
    const lookUp = (port: string) =>
      `/usr/bin/python3 -c '
import socket as s
q=bytes([0,1,1,0,0,1,0,0,0,0,0,0,6])+b"secret"+bytes([6])+b"tunnel"+bytes([4])+b"test"+bytes([0,0,1,0,1])
u=s.socket(2,2); u.settimeout(6); u.sendto(q,("127.0.0.11",${port}))
print("answer", u.recv(512)[3] & 15)'`;
    const sockets = "awk '$2 ~ /^0B00007F:/ { print $2 }' /proc/net/udp | cut -d: -f2";
    const { stdout, stderr } = await run([
      ...[...allowing, "--"],
      `${lookUp("53")}; for p in $(${sockets}); do ${lookUp("int(\"'$p'\", 16)")}; done`,
    ]);
    t.regex(stdout, /answer [35]\n/, stderr);
    const names = world.seen.flatMap((report) => (report.kind === "dns" ? [report.name] : []));
    t.false(names.some((name) => name.endsWith("tunnel.test")));
  });

  test("intercepted TLS is trusted inside and forwarded", async (t) => {
    writeFileSync(join(world.scratch, "world-ca.pem"), world.authority);
    const { stdout, stderr } = await run(
      [...allowing, "--ssl-bump", "--", "curl -sS https://allowed.test/bumped"],
      { environment: { NODE_EXTRA_CA_CERTS: join(world.scratch, "world-ca.pem") } },
    );
    t.regex(stdout, /"url":"\/bumped".*"secure":true/, stderr);
  });

  test("mounts appear at their targets in their mode, even where the host has nothing", async (t) => {
    const source = join(world.scratch, "source");
    mkdirSync(source);
    writeFileSync(join(source, "file"), "content\n");
    const { stdout, stderr } = await run([
      ...[...quiet, "-v", `${source}:/data/deep/in:ro`, "-v", `${source}:/usr/share/awf-here`],
      ...["--container-workdir", "/data/deep/in", "--"],
      "cat file; echo x > file; echo new > /usr/share/awf-here/made; cat made; test -d /usr/share/doc && echo kept",
    ]);
    t.is(stdout, "content\nnew\nkept\n", stderr);
    t.is(readFileSync(join(source, "file"), "utf8"), "content\n");
  });

  test("--allow-write leaves nothing else writable", async (t) => {
    const directory = join(world.workspace, "out");
    mkdirSync(directory);
    const { stdout } = await run([
      ...[...quiet, "--allow-write", directory, "--"],
      `touch ${directory}/ok && echo out; touch ${world.workspace}/no || echo workspace; touch "$HOME/no" || echo home; touch /tmp/ok && echo tmp`,
    ]);
    t.is(stdout, "out\nworkspace\nhome\ntmp\n");
  });

  test("host services are reachable by the alias on the listed ports only", async (t) => {
    const ask = "curl -s http://host.docker.internal:7777/; echo $?";
    const open = ["--enable-host-access", "--allow-host-ports", "7777"];
    t.is((await run([...quiet, ...open, "--", ask])).stdout, "a service of the host\n0\n");
    t.notRegex((await run([...quiet, "--enable-host-access", "--", ask])).stdout, /a service/);
  });

  test("--memory and --pids are the container's limits", async (t) => {
    const python = "/usr/bin/python3 -c";
    const { stdout, stderr } = await run([
      ...[...quiet, "--memory", "64m", "--pids", "20", "--"],
      `${python} 'bytearray(200*1024*1024)'; echo $?; ${python} 'import os,time\nn=0\nwhile n<40:\n  try: p=os.fork()\n  except OSError: break\n  if p==0: time.sleep(9); os._exit(0)\n  n+=1\nprint(n<20,flush=True)\nos._exit(0)'`,
    ]);
    t.is(stdout, "137\nTrue\n", stderr);
  });

  test("orphans of the command are reaped while it runs", async (t) => {
    const { stdout } = await run([
      ...[...quiet, "--"],
      "for i in 1 2 3 4 5; do (sleep 0.1 &); done; sleep 0.5; while grep -qs '^Name:.sleep$' /proc/[0-9]*/status; do sleep 0.1; done; echo none",
    ]);
    t.is(stdout, "none\n");
  });

  test("with --skip-pull a missing image is an error", async (t) => {
    const { code, stderr } = await runPlain([
      ...[...quiet, "--image-registry", "local.test/none", "--skip-pull", "--", "true"],
    ]);
    t.deepEqual(
      [code, stderr],
      [
        1,
        "[ERROR] The image local.test/none/agent:latest is not on this machine. Leave out --skip-pull to pull it, or use --build-local to build one\n",
      ],
    );
  });

  test("a missing image is pulled with the credentials of docker login", async (t) => {
    await docker.startRegistry("user:pass");
    const args = [...quiet.slice(2), "--image-registry", "127.0.0.1:5000/awf", "--", "echo pulled"];
    const refused = await runPlain(args);
    t.is(refused.code, 1);
    t.regex(
      refused.stderr,
      /^\[ERROR\] The Docker engine refused: .*(no basic auth|unauthorized)/im,
    );
    const directory = join(world.scratch, "login");
    mkdirSync(directory);
    const auth = Buffer.from("user:pass").toString("base64");
    writeFileSync(
      join(directory, "config.json"),
      JSON.stringify({ auths: { "127.0.0.1:5000": { auth } } }),
    );
    const { code, stdout, stderr } = await runPlain(args, {
      environment: { DOCKER_CONFIG: directory },
    });
    t.deepEqual([code, stdout], [0, "pulled\n"], stderr);
    t.true(stderr.includes("[INFO] Pulling the image 127.0.0.1:5000/awf/agent:latest...\n"));
  });

  test("--build-local builds the image from the given base", async (t) => {
    const { stdout, stderr, code } = await runPlain([
      ...["--build-local", "--agent-image", "ubuntu:22.04", "--dns-servers", "8.8.8.8"],
      ...["--", "echo built"],
    ]);
    t.deepEqual([code, stdout], [0, "built\n"], stderr);
    t.regex(
      stderr,
      /^\[INFO\] Building the image awf-agent:ubuntu-22\.04 from ubuntu:22\.04\.\.\.$/m,
    );
    const { Config } = await docker.api.ask<{ Config: { Labels: object } }>(
      "GET",
      "/images/awf-agent:ubuntu-22.04/json",
    );
    t.deepEqual(Config.Labels, { "dev.reeve.awf.image": "agent" });
  });

  test("--keep-containers leaves both containers stopped, their network and their files", async (t) => {
    const directory = join(world.scratch, "kept");
    const { stderr } = await run([
      ...["--dns-servers", "8.8.8.8", "--work-dir", directory, "--keep-containers"],
      ...["-e", "TOKEN=s3cret", "--", "echo kept $TOKEN"],
    ]);
    const [, agent = "", gate = "", network = ""] =
      /^\[INFO\] Containers preserved\. To remove them: docker rm (\S+) (\S+) && docker network rm (\S+)$/m.exec(
        stderr,
      ) ?? [];
    t.is(network, "awf-net");
    t.true(stderr.includes(`[INFO] Configuration files preserved at: ${directory}\n`));
    for (const name of [agent, gate]) {
      const { State } = await docker.api.ask<{ State: { Status: string } }>(
        "GET",
        `/containers/${name}/json`,
      );
      t.is(State.Status, "exited", name);
    }
    const kept = ["docker-compose.yml", "proxy.json", "seccomp.json"];
    for (const name of kept) t.is(statSync(join(directory, name)).mode & 0o777, 0o600, name);
    // Not through the links to the home directories.
    const files = output("find", [directory, "-type", "f"]).trim().split("\n");
    t.true(files.length >= kept.length);
    for (const path of files) t.false(readFileSync(path, "utf8").includes("s3cret"), path);
    for (const name of [agent, gate]) await docker.api.ask("DELETE", `/containers/${name}`);
  });
}
