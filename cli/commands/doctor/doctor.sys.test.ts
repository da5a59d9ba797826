import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { runAgainst } from "../../testing/commands.js";
import { folder, reeve } from "../../testing/reeve.js";
import { plugin, status } from "../../testing/samples.js";
import { configuration } from "./configuration.js";
import { writable } from "./directory.js";
import type { HostFinding } from "./finding.js";
import { inotify, openFiles } from "./limits.js";
import { git, sandboxPrograms } from "./sandbox.js";
import { node, systemd } from "./system.js";

const limits = (hard: string) => `Limit  Soft Limit  Hard Limit  Units
Max processes             127392               127392               processes
Max open files            1024                 ${hard}              files
`;

const judged: ReadonlyArray<
  readonly [
    title: string,
    finding: HostFinding | undefined,
    state: HostFinding["state"] | undefined,
  ]
> = [
  ["many open files are well", openFiles(limits("1048576")), "ok"],
  ["open files without a limit are well", openFiles(limits("unlimited")), "ok"],
  ["few open files are worth a warning", openFiles(limits("1024")), "warn"],
  ["a system without /proc is not judged by its limits", openFiles(undefined), undefined],
  ["many watches are well", inotify({ instances: "128", watches: "65536" }), "ok"],
  ["few watches are worth a warning", inotify({ instances: "128", watches: "1024" }), "warn"],
  ["few instances are worth a warning", inotify({ instances: "8", watches: "65536" }), "warn"],
  [
    "a system without inotify is not judged by it",
    inotify({ instances: undefined, watches: undefined }),
    undefined,
  ],
  ["Node 24 is well", node("24.12.0"), "ok"],
  ["Node 25 is worth a warning", node("25.1.0"), "warn"],
  ["Node 27 is well: from then on every release is kept", node("27.0.0"), "ok"],
  ["a host without systemd is worth a warning", systemd("/nonexistent"), "warn"],
  ["a host with systemd is well", systemd("/"), "ok"],
  ["git that is not there is worth a warning", git("/nonexistent"), "warn"],
];
for (const [title, finding, state] of judged) {
  test(title, (t) => {
    t.is(finding?.state, state);
    t.is(finding?.todo === undefined, state === "ok" || state === undefined);
  });
}

test("what is to be done names the very settings", (t) => {
  t.regex(
    inotify({ instances: "8", watches: "1024" })?.todo ?? "",
    /sysctl fs\.inotify\.max_user_watches=8192 fs\.inotify\.max_user_instances=64/,
  );
  t.regex(openFiles(limits("1024"))?.todo ?? "", /LimitNOFILE=4096/);
});

test("programs that sandboxes need are named with the packages that bring them", (t) => {
  const directory = folder(t);
  for (const program of ["ip", "unshare"]) {
    writeFileSync(join(directory, program), "#!/bin/sh\n", { mode: 0o755 });
  }
  const finding = sandboxPrograms(`/nonexistent:${directory}`);
  t.is(finding.says, "sandboxes cannot be made without `bwrap`");
  t.regex(finding.todo ?? "", /apt-get install bubblewrap`/);
  writeFileSync(join(directory, "bwrap"), "#!/bin/sh\n", { mode: 0o755 });
  t.is(sandboxPrograms(directory).state, "ok");
  chmodSync(join(directory, "ip"), 0o644);
  t.is(sandboxPrograms(directory).state, "warn");
});

test("a state directory is tried, and left as it was", (t) => {
  const directory = folder(t);
  t.is(writable(join(directory, "a/b")).state, "ok");
  writeFileSync(join(directory, "file"), "");
  const finding = writable(join(directory, "file", "state"));
  t.is(finding.state, "fail");
  t.regex(finding.says, /cannot be written/);
});

test("a configuration is judged as `check` does", async (t) => {
  const directory = folder(t, {
    "good.reeve": 'daemon {\n  log_level = "info"\n}\n',
    "bad.reeve": "daemon {\n  nonsense = 1\n}\n",
  });
  t.is((await configuration(join(directory, "good.reeve"), true)).state, "ok");
  const bad = await configuration(join(directory, "bad.reeve"), true);
  t.is(bad.state, "fail");
  t.regex(bad.says, /has 1 error$/);
  t.is((await configuration(join(directory, "none.reeve"), true)).state, "fail");
  t.is((await configuration(join(directory, "none.reeve"), false)).state, "warn");
});

test("`doctor` looks at the daemon that runs, and at its configuration", async (t) => {
  const directory = folder(t, { "main.reeve": "" });
  mkdirSync(join(directory, "state"));
  const { code, stdout } = await runAgainst(t, ["doctor", "--json"], {
    "GET /v1/status": () => ({
      ...status,
      root: join(directory, "main.reeve"),
      stateDirectory: join(directory, "state"),
      degraded: { reason: "main.reeve has 1 error." },
      plugins: [{ ...plugin, state: "quarantined" as const }],
    }),
  });
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly HostFinding[] };
  const of = (id: string) => findings.find((finding) => finding.id === id);
  t.is(code, 1);
  t.is(of("daemon")?.state, "ok");
  t.is(of("degraded")?.says, "the daemon is degraded: main.reeve has 1 error");
  t.is(of("quarantine")?.todo, "After fixing the cause: `reeve plugin release hooks`.");
  t.is(of("configuration")?.state, "ok");
  t.regex(of("state_directory")?.says ?? "", /\/state can be written$/);
});

test("`doctor` without a daemon says so, and how the rest is", async (t) => {
  const cwd = folder(t, { "main.reeve": "" });
  const words = ["doctor", "--control", join(cwd, "none.sock"), "--state", join(cwd, "state")];
  const { code, stdout, stderr } = await reeve(words, { cwd });
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  t.regex(stdout, /^ok {4}Node \d/);
  t.regex(
    stdout,
    /\nwarn {2}the daemon is not running; looked for it at .*none\.sock \(no such file\)\n/,
  );
  t.regex(stdout, /\nok {4}main\.reeve is valid: 0 blocks\n/);
  t.regex(stdout, /\n\n0 failures, \d+ warnings?\.\n$/);
});
