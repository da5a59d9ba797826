import test from "ava";
import type { Status } from "../../daemon/http/control/api.js";
import { Channel } from "../plugin-api/output.js";
import { runAgainst } from "../testing/commands.js";
import { NOW, plugin, status } from "../testing/samples.js";
import { showStatus } from "./status.js";

function shown(changes: Partial<Status> = {}, columns?: number): string {
  const lines: string[] = [];
  const stream = {
    isTTY: columns !== undefined,
    columns,
    write: (text: string) => lines.push(text),
  };
  showStatus(new Channel(stream, { NO_COLOR: "1" }), { ...status, ...changes });
  return lines.join("");
}

test("one screen says how the daemon is", (t) => {
  t.is(
    shown(),
    `reeve 0.1.0  running  pid 4711, up 3d

configuration  /etc/reeve/main.reeve
generation     12, 2m ago (14:00:11); commit 3b1f2c4+; 2 added, 1 updated, 4 unchanged
listening      127.0.0.1:9000 /hooks
runs           43 records: 1 running, 40 succeeded, 2 failed
memory         88 MiB, heap 30 MiB
event loop     late by 0.4 ms, 3.1 ms at worst
control        /run/reeve/control.sock
state          /var/lib/reeve
node           26.10.0

PLUGIN  STATE    HEALTH   BLOCKS  RESTARTS  ISOLATION  SINCE  VERSION
hooks   running  healthy       3         0  inline        1m  1.2.0
`,
  );
});

test("what is degraded stands at the top, with its reason", (t) => {
  const text = shown({
    state: "degraded",
    degraded: { reason: "main.reeve has 2 errors; generation 11 keeps running." },
    staleSeconds: 300,
  });
  t.regex(
    text,
    /^reeve 0\.1\.0 {2}degraded {2}pid 4711, up 3d\ndegraded: main\.reeve has 2 errors; /,
  );
  t.regex(text, /\nstale {10}for 5m\n/);
});

test("a database that daemons share is named, and how long it is away", (t) => {
  const daemon = "host-a-0c0ffee0";
  t.regex(
    shown({ database: { daemon } }),
    /\ndatabase {7}shared, this daemon is host-a-0c0ffee0\n/,
  );
  const away = { reason: "The database cannot be reached: it is gone.", since: NOW - 12_000 };
  const text = shown({ state: "degraded", degraded: away, database: { daemon, away } });
  t.regex(text, /\ndatabase {7}away for 12s: The database cannot be reached: it is gone\.\n/);
});

test("a plugin's trouble is named, with the next try", (t) => {
  const text = shown({
    plugins: [
      {
        ...plugin,
        state: "backoff",
        restarts: 3,
        failure: { reason: "It ended with exit code 1.", at: NOW - 5000 },
        retryAt: NOW + 8000,
      },
      { ...plugin, id: "x", isolation: "process", pid: 99, heap: 5 * 1024 * 1024 },
      { ...plugin, id: "y", health: { state: "degraded", reason: "2 of 3 hosts answer." } },
    ],
  });
  t.regex(text, /hooks {3}backoff .* It ended with exit code 1\.; next start in 8s\n/);
  t.regex(text, /process \(pid 99, 5 MiB\)/);
  t.regex(text, /y {7}running {2}degraded .* 2 of 3 hosts answer\.\n/);
});

test("nothing yet is said to be nothing yet", (t) => {
  const { generation: _, ...before } = status;
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text) };
  const none = Object.fromEntries(Object.keys(status.runs).map((state) => [state, 0]));
  showStatus(new Channel(stream, {}), {
    ...before,
    state: "starting",
    plugins: [],
    listeners: [],
    runs: none as unknown as Status["runs"],
  });
  t.regex(lines.join(""), /generation {5}none yet\nruns {11}none\n/);
});

test("on a narrow screen the table of plugins keeps what matters", (t) => {
  for (const line of shown({}, 60).split("\n").slice(-3)) t.true(line.length <= 60, line);
  t.regex(shown({}, 60), /PLUGIN {2}STATE {4}HEALTH/);
});

test("`status` prints it, and ends with 1 while the daemon is degraded", async (t) => {
  const shown = await runAgainst(t, ["status"], { "GET /v1/status": () => status });
  t.is(shown.code, 0);
  t.is(shown.stderr, "");
  t.true(shown.stdout.startsWith("reeve 0.1.0  running  pid 4711, up 3d\n"));
  const degraded: Status = { ...status, state: "degraded", degraded: { reason: "x" } };
  t.is((await runAgainst(t, ["status"], { "GET /v1/status": () => degraded })).code, 1);
});

test("`status --json` is the control API's answer", async (t) => {
  const { stdout } = await runAgainst(t, ["status", "--json"], { "GET /v1/status": () => status });
  t.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(status)));
});

for (const [ready, reasons, says, code] of [
  [true, [], "ready\n", 0],
  [false, ["the plugin hooks is down"], "not ready\nthe plugin hooks is down\n", 1],
] as const) {
  test(`--ready of a daemon that is ${ready ? "" : "not "}ready exits with ${code}`, async (t) => {
    const answers = { "GET /readyz": () => ({ ready, reasons }) };
    const result = await runAgainst(t, ["status", "--ready"], answers);
    t.like(result, { code, stdout: says, stderr: "", requests: ["GET /readyz"] });
    const inJson = await runAgainst(t, ["status", "--ready", "--json"], answers);
    t.is(inJson.code, code);
    t.deepEqual(JSON.parse(inJson.stdout), { ready, reasons });
  });
}
