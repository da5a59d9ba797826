// `npm run try:install [-- SUITE...]`: takes each of the four ways of docs/install.md from nothing to an answered hook, by the commands
// of the page, with the artifacts in build/. The packages and the executable go into bare Debian systems that systemd has booted, without
// any network; the image into a Docker engine of its own. Prints the time until the answer. Needs root, mmdebstrap, systemd-nspawn
// and dockerd.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeRoot, until, withSystem } from "./debian-machine.mjs";

const ARTIFACTS = "/opt/artifacts";
const suites = process.argv.length > 2 ? process.argv.slice(2) : ["bookworm"];
const page = readFileSync("docs/install.md", "utf8");
const made = globSync("build/reeve[-_]*.{tgz,deb,oci.tar}").concat(
  globSync(`build/reeve-*-linux-${process.arch}`),
);
if (made.length < 4) {
  process.stderr.write("build/ has not all four artifacts: run `npm run package` first.\n");
  process.exit(66);
}
const folder = mkdtempSync(join(tmpdir(), "reeve-install-"));
let failed = 0;
try {
  const artifacts = join(folder, "artifacts");
  mkdirSync(artifacts);
  for (const path of made) cpSync(path, join(artifacts, basename(path)));
  const local = nodeWithNpm(artifacts);
  for (const suite of suites) {
    const root = join(folder, suite);
    makeRoot(suite, root);
    for (const [title, more] of [
      ["The npm package", [`--bind=${local}:/usr/local`]],
      ["The Debian package", []],
      ["The single executable", []],
    ]) {
      const options = ["--volatile=overlay", `--bind=${artifacts}:${ARTIFACTS}`, ...more];
      await withSystem(
        root,
        (machine) =>
          follow(`${title}, ${suite}`, commandsOf(title), (line) =>
            machine(`cd ${ARTIFACTS} && ${line}`),
          ),
        options,
      );
    }
  }
  await withDocker((run) =>
    follow("The container image, Docker", commandsOf("The container image"), (line) =>
      run(`cd ${artifacts} && ${line}`),
    ),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** The first block of commands below a heading of the page. */
function commandsOf(title) {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
  const [, block = ""] = /^```sh\n(.*?)^```$/ms.exec(section) ?? [];
  const lines = block.split("\n").filter((line) => line !== "");
  if (!lines.some((line) => line.startsWith("curl "))) {
    throw new Error(`docs/install.md has no request below "${title}"`);
  }
  return lines;
}

async function follow(way, lines, run) {
  const start = performance.now();
  let seconds;
  for (const line of lines) {
    let { status, text } = run(line);
    const isRequest = line.startsWith("curl ");
    // Nobody types the request within the second of a start.
    for (let tries = 0; isRequest && status !== 0 && tries < 100; tries += 1) {
      await sleep(100);
      ({ status, text } = run(line));
    }
    if (isRequest) seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (status === 0 && (!isRequest || /^Hello Ada$/m.test(text))) continue;
    failed += 1;
    process.stdout.write(`  FAILED ${way}: ${line}\n${text}\n`);
    return;
  }
  process.stdout.write(`  ok     ${way}: answered after ${seconds} s\n`);
}

/** A /usr/local with Node and npm, which has what the package depends on in its cache. */
function nodeWithNpm(artifacts) {
  const local = join(folder, "local");
  const npm = dirname(
    dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())),
  );
  for (const path of ["bin", "lib/node_modules", "etc"])
    mkdirSync(join(local, path), { recursive: true });
  cpSync(process.execPath, join(local, "bin/node"), { dereference: true });
  cpSync(npm, join(local, "lib/node_modules/npm"), { recursive: true, dereference: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
  writeFileSync(join(local, "etc/npmrc"), `offline=true\ncache=${ARTIFACTS}/npm-cache\n`);
  const [tarball] = globSync("*.tgz", { cwd: artifacts });
  const words = [
    "install",
    "--global",
    "--prefix",
    join(folder, "once"),
    "--cache",
    join(artifacts, "npm-cache"),
  ];
  execFileSync("npm", [...words, join(artifacts, tarball)], { stdio: "ignore" });
  return local;
}

/** An engine with data, a network and a socket of its own, and a bridge for published ports. */
async function withDocker(use) {
  const socket = join(folder, "docker.sock");
  const places = ["--data-root", join(folder, "docker"), "--exec-root", join(folder, "exec")];
  const network = [
    "--iptables=false",
    "--ip6tables=false",
    "--ip-masq=false",
    "--ip-forward=false",
  ];
  const start = 'ip link set lo up; exec "$@"';
  const engine = spawn(
    "unshare",
    [
      ...["--net", "--mount", "--", "sh", "-c", start, "sh", "dockerd", ...places, ...network],
      ...["--pidfile", join(folder, "docker.pid"), "--host", `unix://${socket}`],
      ...["--storage-driver", "vfs"],
    ],
    { stdio: "ignore" },
  );
  const ended = once(engine, "exit");
  const run = (line) => {
    const words = [`--net=/proc/${engine.pid}/ns/net`, "sh", "-c", line];
    const { status, stdout, stderr } = spawnSync("nsenter", words, {
      encoding: "utf8",
      env: { ...process.env, DOCKER_HOST: `unix://${socket}` },
    });
    return { status, text: `${stdout}${stderr}`.trim() };
  };
  try {
    await until("Docker answers", () => run("docker version").status === 0);
    await use(run);
    run("docker rm --force --volumes reeve");
  } finally {
    engine.kill("SIGTERM");
    await ended;
  }
}
