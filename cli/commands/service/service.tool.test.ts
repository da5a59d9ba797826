/**
 * `reeve service` with a program in the place of `systemctl` that records its words; `npm run try:debian` has the real one.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import fc from "fast-check";
import { runSync } from "../../../tests/support/child.js";
import { program } from "../../../tests/support/needs.js";
import { folder, type ProgramResult, reeve } from "../../testing/reeve.js";
import { hiddenPath, rootIn, unitText } from "./unit.js";

const BIN = fileURLToPath(new URL("../../reeve.js", import.meta.url));
const hook = 'hook_server "main" { listen = "127.0.0.1:0" }\nhook "a" { run = ["true"] }\n';

/** A home with a configuration, and a `systemctl` that answers `show` from the file `unit`. */
function home(t: ExecutionContext, configuration: string | undefined = hook) {
  const directory = folder(t, {
    ...(configuration !== "" && { "config/reeve/main.reeve": configuration }),
    "bin/systemctl": `#!/bin/sh
echo "$*" >>"$HOME/calls"
case $* in *show*) cat "$HOME/unit" 2>/dev/null || echo LoadState=not-found;; esac
case $* in *"$(cat "$HOME/fails" 2>/dev/null || echo none)"*) echo "Job failed." >&2; exit 1;; esac
`,
    "bin/loginctl": "#!/bin/sh\necho no\n",
  });
  for (const name of ["systemctl", "loginctl"]) chmodSync(join(directory, "bin", name), 0o755);
  const unit = join(directory, "config/systemd/user/reeve.service");
  const env = {
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, "config"),
    XDG_STATE_HOME: join(directory, "state"),
    XDG_CACHE_HOME: join(directory, "cache"),
    PATH: `${join(directory, "bin")}:${process.env.PATH}`,
  };
  return {
    ...{ directory, unit, env },
    root: join(directory, "config/reeve/main.reeve"),
    /** What `systemctl show` says from now on. */
    shows: (fields: Readonly<Record<string, string>>) =>
      writeFileSync(
        join(directory, "unit"),
        Object.entries({ LoadState: "loaded", FragmentPath: unit, ...fields })
          .map(([name, value]) => `${name}=${value}\n`)
          .join(""),
      ),
    fails: (words: string) => writeFileSync(join(directory, "fails"), words),
    service: (...words: readonly string[]): Promise<ProgramResult> =>
      reeve(["service", ...words, "--user"], { env, cwd: directory }),
    changes: () =>
      readFileSync(join(directory, "calls"), "utf8")
        .split("\n")
        .filter((line) => line !== "" && !line.includes("show")),
  };
}

test("a user's service is installed, shown and removed; its state goes only with --purge", async (t) => {
  const { directory, unit, root, shows, service, changes } = home(t);
  const installed = await service("install");
  t.is(installed.code, 0, installed.stderr);
  t.is(installed.stdout, `${unit}\n`);
  t.regex(installed.stderr, /loginctl enable-linger/);
  t.deepEqual(changes(), [
    "--user daemon-reload",
    "--user enable reeve.service",
    "--user restart reeve.service",
  ]);
  const text = readFileSync(unit, "utf8");
  t.true(text.includes(`ExecStart=${process.execPath} ${BIN} up ${root} --log-format json\n`));
  t.is(rootIn(text), root);
  if (program("systemd-analyze").isPresent()) {
    const words = ["verify", "--user", "--man=no", unit];
    const { stderr } = runSync("systemd-analyze", words, { env: { ...process.env, LC_ALL: "C" } });
    t.deepEqual(
      stderr.split("\n").filter((line) => line.includes(unit)),
      [],
    );
  }

  shows({
    ActiveState: "active",
    UnitFileState: "enabled",
    MainPID: "7",
    StatusText: "generation 1",
  });
  const status = await service("status");
  t.is(status.code, 0);
  t.regex(status.stdout, /state +active: generation 1\nat boot +enabled\nprocess +7\ncommand +\//);
  t.like(JSON.parse((await service("status", "--json")).stdout), { active: "active", pid: 7 });
  shows({ ActiveState: "failed", UnitFileState: "enabled", MainPID: "0" });
  t.is((await service("status")).code, 1);

  const state = join(directory, "state/reeve");
  mkdirSync(join(state, "other"), { recursive: true });
  const kept = await service("uninstall");
  t.deepEqual([kept.code, kept.stdout], [0, `Removed ${unit}.\n`]);
  t.false(existsSync(unit));
  await service("install");
  const purged = await service("uninstall", "--purge");
  t.regex(purged.stdout, /Deleted .*\/reeve-[0-9a-f]{8}\.\nDeleted .*\/cache\//);
  t.true(existsSync(join(state, "other")));
  t.true(existsSync(root));
});

test("nothing is installed that would not start", async (t) => {
  const invalid = home(t, "hook {\n");
  const refused = await invalid.service("install");
  t.is(refused.code, 78);
  t.regex(refused.stderr, /hook \{[\s\S]*the service is not installed: the service cannot use/);
  const missing = home(t, "");
  const none = await missing.service("install");
  t.is(none.code, 66);
  t.regex(none.stderr, /there is no .*main\.reeve\n.*reeve init /);
  for (const { unit, changes } of [invalid, missing]) {
    t.false(existsSync(unit));
    t.deepEqual(changes(), []);
  }
  const failing = home(t);
  failing.fails("restart");
  const failed = await failing.service("install");
  t.is(failed.code, 69);
  t.regex(failed.stderr, /is installed, but does not start\n.*journalctl --user -u reeve\.service/);
});

test("a unit of a package is neither replaced nor removed", async (t) => {
  const { unit, shows, service, changes } = home(t);
  shows({ FragmentPath: "/usr/lib/systemd/user/reeve.service", ActiveState: "active" });
  for (const word of ["install", "uninstall"]) {
    const { code, stderr } = await service(word);
    t.is(code, 69);
    t.regex(stderr, /\/usr\/lib\/systemd\/user\/reeve\.service\n.*package/);
  }
  t.false(existsSync(unit));
  t.deepEqual(changes(), []);
});

test("what is not installed is said, with the way to it", async (t) => {
  const { service } = home(t);
  const status = await service("status");
  t.deepEqual([status.code, status.stdout], [66, ""]);
  t.regex(status.stderr, /not installed; `reeve service install`/);
  t.is((await service("uninstall")).code, 66);
});

test("without systemd the commands say what to do", async (t) => {
  const { directory, env } = home(t);
  const program = join(directory, "bin/systemctl");
  const cases: ReadonlyArray<readonly [says: string, means: RegExp]> = [
    ["System has not been booted with systemd as init system", /systemd does not run on this/],
    ["Failed to connect to user scope bus via local transport", /has no systemd manager\n.*linger/],
    ["Access denied", /`systemctl --user show .*` failed: Access denied/],
  ];
  for (const [says, means] of cases) {
    writeFileSync(program, `#!/bin/sh\necho "${says}" >&2\nexit 1\n`);
    const { code, stderr } = await reeve(["service", "status", "--user"], { env });
    t.is(code, 69);
    t.regex(stderr, means);
  }
  const bare = { ...env, PATH: dirname(process.execPath) };
  const { code, stderr } = await reeve(["service", "status"], { env: bare });
  t.is(code, 69);
  t.regex(stderr, /there is no `systemctl` on this machine\n.*`reeve up` in the foreground/);
});

test("a path comes back from a unit as it was, whatever characters it has", (t) => {
  const path = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !/[\0\n\r/]/.test(text));
  fc.assert(
    fc.property(path, (name) => {
      const root = `/srv/${name}/main.reeve`;
      t.is(rootIn(unitText({ program: ["/opt/a b/node"], root, account: "reeve" })), root);
    }),
  );
});

test("what the unit of a system service hides", (t) => {
  const seen = ["/usr/bin/node", "/opt/home/x", "/etc/reeve/main.reeve", "/homes/x", "/rooted"];
  t.is(hiddenPath(seen), undefined);
  for (const path of ["/home/a/x", "/root/.nvm/node", "/tmp/x", "/run/user/1/x", "/var/tmp/x"]) {
    t.is(hiddenPath([...seen, path]), path);
  }
});

const project = fileURLToPath(new URL("../../../..", import.meta.url));
/** A system of its own around a command: this project in /opt, empty /etc/systemd/system, /etc/reeve and accounts that it may change. */
const inOwnSystem = (command: string): string => `
set -e
mount -t tmpfs tmpfs /opt
mkdir /opt/reeve /opt/etc /opt/node
mount --bind ${project} /opt/reeve
mount --bind ${dirname(process.execPath)} /opt/node
cp -a /etc/. /opt/etc/
mount --bind /opt/etc /etc
rm -rf /etc/systemd/system /etc/reeve
mkdir -p /etc/systemd/system /etc/reeve
${command}
`;

(process.getuid?.() === 0 ? test : test.skip)(
  "root installs a system service: an account, readable files, a unit that names this program",
  (t) => {
    const { directory, env } = home(t);
    const script = `/opt/reeve/${relative(project, BIN)}`;
    writeFileSync(join(directory, "hook.reeve"), hook);
    const { stdout, stderr, code } = runSync(
      "unshare",
      [
        ...["--mount", "sh", "-c"],
        inOwnSystem(`umask 077
          cp ${join(directory, "hook.reeve")} /etc/reeve/main.reeve
          chmod 700 /etc/reeve
          userdel reeve 2>/dev/null || true
          /opt/node/node ${script} service install
          stat -c "%U %G %a %n" /etc/reeve /etc/reeve/main.reeve
          getent passwd reeve
          cat /etc/systemd/system/reeve.service
          /opt/node/node ${script} service install --run-as nobody --dry-run | grep -E "^(User|Group)="
          /opt/node/node ${script} service install --run-as no-such-user || echo "ended with $?"
          cp /etc/reeve/main.reeve /opt/main.reeve
          /opt/node/node ${script} service install /opt/main.reeve --run-as nobody || echo "ended with $?"
        `),
      ],
      { env: { ...process.env, ...env } },
    );
    t.is(code, 0, stderr);
    t.regex(stderr, /Created the user reeve\./);
    t.regex(
      stdout,
      /\nroot reeve 750 \/etc\/reeve\nroot reeve 640 \/etc\/reeve\/main\.reeve\nreeve:/,
    );
    t.regex(
      stdout,
      /\nExecStart=\/opt\/node\/node \/opt\/reeve\/.*reeve\.js up \/etc\/reeve\/main\.reeve /,
    );
    t.regex(
      stdout,
      /\nUser=reeve\nGroup=reeve\n[\s\S]*\nUser=nobody\nended with 66\nended with 78\n$/,
    );
    t.regex(stderr, /there is no user `no-such-user`/);
    t.regex(stderr, /nobody cannot use \/opt\/main\.reeve\n.*chgrp -R/);
  },
);
