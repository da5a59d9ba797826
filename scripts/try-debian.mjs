// `npm run try:debian [-- SUITE...]`: installs the packages in build/ under a real systemd, in fresh roots of Debian 12 and 13. The npm
// package goes through `reeve service` and a backup; then the Debian package through its life: start, request, reload, refused reload,
// edit, kill, upgrade, removal, purge. Needs root, mmdebstrap and systemd-nspawn.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeRoot, until, withSystem } from "./debian-machine.mjs";

const suites = process.argv.length > 2 ? process.argv.slice(2) : ["bookworm", "trixie"];
const [deb] = globSync("build/*.deb").map((path) => resolve(path));
const [tarball] = globSync("build/*.tgz").map((path) => resolve(path));
if (deb === undefined || tarball === undefined) {
  process.stderr.write("There is no package in build/: run `npm run package` first.\n");
  process.exit(66);
}
let failed = 0;
for (const suite of suites) await tryIn(suite);
process.exitCode = failed === 0 ? 0 : 1;

async function tryIn(suite) {
  const root = mkdtempSync(join(tmpdir(), `reeve-${suite}-`));
  process.stdout.write(`${suite}\n`);
  try {
    makeRoot(suite, root);
    cpSync(deb, join(root, "opt/reeve.deb"));
    copyNpmPackage(root);
    await withSystem(root, async (machine) => {
      await serviceLife(machine, root);
      await life(machine, root);
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What `npm install --global` leaves, without npm: Node, the package and its one dependency. */
function copyNpmPackage(root) {
  const modules = join(root, "usr/local/lib/node_modules/reeve");
  mkdirSync(modules, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", modules, "--strip-components=1"]);
  for (const name of ["koffi", `@koromix/koffi-linux-${process.arch}`]) {
    const to = join(modules, "node_modules", name);
    cpSync(join("node_modules", name), to, { recursive: true, dereference: true });
  }
  cpSync(process.execPath, join(root, "usr/local/bin/node"), { dereference: true });
  symlinkSync("../lib/node_modules/reeve/dist/cli/reeve.js", join(root, "usr/local/bin/reeve"));
}

/** `reeve service` and a backup, with the npm package. */
async function serviceLife(machine, root) {
  const greets = () => machine("curl -s http://127.0.0.1:9000/hooks/hello").text === "Hello world";
  const reeve = (words) => machine(`/usr/local/bin/reeve ${words}`);
  const early = reeve("service install");
  check("without a configuration nothing is installed", early.status === 66, early.text);
  reeve("init /etc/reeve");
  const installed = reeve("service install");
  check("the npm package installs a service", installed.status === 0, installed.text);
  check("its first hook answers", greets());
  const status = reeve("service status");
  check(
    "its status is shown",
    status.status === 0 && /generation 1/.test(status.text),
    status.text,
  );
  const user = machine("ps -o user= -p $(systemctl show -P MainPID reeve)").text;
  check("it runs as its own user", user === "reeve", user);
  const reload = machine("systemctl reload reeve");
  check("systemd reloads it", reload.status === 0, reload.text);
  const again = reeve("service install");
  check("installing again restarts it", again.status === 0 && greets(), again.text);
  const copied = reeve("state backup");
  check("the daemon writes a backup below its state", copied.status === 0, copied.text);
  const backup = /to (\/\S+)\.$/.exec(copied.text)?.[1] ?? "";
  machine(`cp -a ${backup} /root/backup; systemctl stop reeve`);
  const restored = reeve("state restore /root/backup --state /var/lib/reeve --replace");
  check("the backup is restored", restored.status === 0, restored.text);
  const owner = machine("find /var/lib/reeve ! -user reeve").text;
  check("restored files belong to the service's user", owner === "", owner);
  machine("systemctl start reeve");
  check("it runs on the restored state", greets());
  const removed = reeve("service uninstall --purge");
  check("the service is removed", removed.status === 0, removed.text);
  const left = ["etc/systemd/system/reeve.service", "var/lib/reeve", "var/cache/reeve"];
  const still = left.filter((path) => existsSync(join(root, path)));
  check("its unit and state are gone", still.length === 0, still.join(" "));
  const names = machine("systemctl list-unit-files reeve.service").text;
  check("systemd knows it no more", /0 unit files/.test(names), names);
  machine("userdel reeve; rm -rf /etc/reeve /var/lib/reeve.before-*");
  for (const path of ["bin/node", "bin/reeve", "lib/node_modules"]) {
    rmSync(join(root, "usr/local", path), { recursive: true });
  }
}

async function life(machine, root) {
  const config = join(root, "etc/reeve/main.reeve");
  const greeting = (text) => machine(`curl -s http://127.0.0.1:9000/hooks/hello`).text === text;
  const pid = () => machine("systemctl show -P MainPID reeve").text;
  const status = () => machine("systemctl show -P StatusText reeve").text;
  const edit = (from, to) => writeFileSync(config, readFileSync(config, "utf8").replace(from, to));

  const installed = machine("dpkg -i /opt/reeve.deb");
  check("it installs", installed.status === 0, installed.text);
  await step("the daemon starts", () => machine("systemctl is-active reeve").text === "active");
  await step("the first hook answers", () => greeting("Hello world"));
  check("it runs as its own user", machine(`ps -o user= -p ${pid()}`).text === "reeve");
  check("the program runs by hand", machine("reeve --version").status === 0);
  check("awf runs by hand", machine("awf --version").status === 0);
  check("man pages are in it", existsSync(join(root, "usr/share/man/man1/reeve.1.gz")));
  edit("Hello ", "Welcome ");
  const reload = machine("systemctl reload reeve");
  check("a reload applies an edit", reload.status === 0 && greeting("Welcome world"), reload.text);
  edit("run = [", "run == [");
  const refused = machine("systemctl reload reeve");
  check("a refused configuration makes the reload fail", refused.status !== 0, refused.text);
  await step("the status line names the refusal", () => /degraded/.test(status()));
  check("the last good configuration still runs", greeting("Welcome world"));
  edit("run == [", "run = [");
  await step("the status line follows an edit that repairs it", () =>
    /^generation \d+/.test(status()),
  );
  const before = pid();
  machine(`kill -9 ${before}`);
  await step(
    "a killed daemon is started again",
    () => pid() !== before && greeting("Welcome world"),
  );
  const old = pid();
  const upgraded = machine("dpkg -i /opt/reeve.deb");
  check("it upgrades", upgraded.status === 0, upgraded.text);
  await step("an upgrade restarts the daemon", () => pid() !== old && greeting("Welcome world"));
  check("an upgrade keeps the configuration", readFileSync(config, "utf8").includes("Welcome"));
  check("it is removed", machine("dpkg -r reeve").status === 0);
  check(
    "removal keeps configuration and state",
    existsSync(config) && existsSync(join(root, "var/lib/reeve")),
  );
  check("it is purged", machine("dpkg -P reeve").status === 0);
  const left = globSync("{etc,usr,var,run}/**/*reeve*", { cwd: root }).filter(
    (path) => !/^var\/log\//.test(path),
  );
  check("a purge leaves nothing", left.length === 0, left.join(" "));
  check("a purge leaves no user", machine("getent passwd reeve").status !== 0);
}

async function step(what, holds) {
  const ok = await until(what, holds).then(
    () => true,
    () => false,
  );
  check(what, ok);
}

function check(what, ok, why = "") {
  if (!ok) failed += 1;
  process.stdout.write(
    `  ${ok ? "ok    " : "FAILED"} ${what}${ok || why === "" ? "" : `: ${why}`}\n`,
  );
}
