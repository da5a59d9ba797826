import test from "ava";
import type { PluginStatus } from "../../../daemon/http/control/api.js";
import { runAgainst } from "../../testing/commands.js";
import { NOW, plugin } from "../../testing/samples.js";

const sick: PluginStatus = {
  ...plugin,
  id: "backup",
  title: "Backups",
  state: "quarantined",
  isolation: "process",
  permissions: {},
  failure: { reason: "It ended with signal SIGSEGV.", at: NOW },
};

test("plugins are listed, with what they may do where that is asked for", async (t) => {
  const answers = { "GET /v1/plugins": () => ({ plugins: [plugin, sick] }) };
  const { stdout } = await runAgainst(t, ["plugin", "list", "--permissions"], answers);
  t.regex(stdout, /^PLUGIN {2,}STATE/);
  t.regex(stdout, /\nbackup {2}quarantined .*It ended with signal SIGSEGV\.\n/);
  t.regex(
    stdout,
    /\n\nhooks {2}Hooks\n {2}runs {8}anything\n {2}listens on {2}127\.0\.0\.1:9000\n/,
  );
  t.regex(
    stdout,
    /\n\nbackup {2}Backups\n {2}may {11}do nothing outside of itself\n {2}last failure {2}It ended/,
  );
  const { stdout: data } = await runAgainst(t, ["plugin", "list", "--json"], answers);
  t.is(JSON.parse(data).plugins[1].state, "quarantined");
});

test("a host without plugins is said to have none", async (t) => {
  const { stdout, stderr } = await runAgainst(t, ["plugin", "list"], {
    "GET /v1/plugins": () => ({ plugins: [] }),
  });
  t.deepEqual({ stdout, stderr }, { stdout: "", stderr: "No plugins run.\n" });
});

for (const verb of ["restart", "release"] as const) {
  test(`\`plugin ${verb}\` says what became of it`, async (t) => {
    const path = `POST /v1/plugins/:id/${verb}` as const;
    const healthy = await runAgainst(t, ["plugin", verb, "hooks"], { [path]: () => plugin });
    t.deepEqual(
      { code: healthy.code, stdout: healthy.stdout, requests: healthy.requests },
      { code: 0, stdout: "hooks is running\n", requests: [`POST /v1/plugins/hooks/${verb}`] },
    );
    const failed = await runAgainst(t, ["plugin", verb, "backup"], { [path]: () => sick });
    t.deepEqual(
      { code: failed.code, stdout: failed.stdout },
      { code: 1, stdout: "backup is quarantined: It ended with signal SIGSEGV.\n" },
    );
  });
}

test("an unknown plugin ends with 1 and the daemon's message", async (t) => {
  const { code, stderr } = await runAgainst(t, ["plugin", "restart", "nope"], {});
  t.is(code, 1);
  t.regex(stderr, /^reeve: There is no /);
});

test("`plugin` alone shows what there is", async (t) => {
  const { code, stderr } = await runAgainst(t, ["plugin"], {});
  t.is(code, 64);
  t.regex(stderr, /list|--control/);
});
