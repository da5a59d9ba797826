/** Commands and disks that misbehave, under a hook. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { type RunningDaemon, run, site } from "../../daemon/main/testing/daemon.js";
import type { RunRecord } from "../../daemon/plugin-api/state.js";
import { runSync } from "../support/child.js";
import { eventually } from "../support/eventually.js";
import { runs } from "../support/runs.js";

const urlOf = ({ said }: RunningDaemon): string => {
  const [{ address } = { address: "" }] = said.listeners as ReadonlyArray<{ address: string }>;
  return `http://${address}/hooks`;
};
const recordsOf = async (daemon: RunningDaemon): Promise<readonly RunRecord[]> =>
  JSON.parse((await daemon.get("/v1/runs?limit=1000")).body).runs;

const megabytes = runs(100, 1024);

test(`an output of ${megabytes} MiB is counted, and only its ends are kept`, async (t) => {
  t.timeout(180_000);
  const project = await site(
    t,
    `hook_server "main" { listen = "127.0.0.1:0" }
hook "flood" {
  run = ["sh", "-c", "echo first; head -c ${megabytes * 2 ** 20} /dev/zero; echo last"]
  timeout = 3m
  output_limit = 4KiB
  response { include_output = true }
}
`,
  );
  const daemon = await run(t, project);
  const answer = await fetch(`${urlOf(daemon)}/flood`, { method: "POST" });
  const text = await answer.text();
  t.is(answer.status, 200);
  t.true(text.startsWith("first\n") && text.endsWith("last\n"));
  t.true(text.length < 5000);
  const { body } = await daemon.get(`/v1/runs/${answer.headers.get("reeve-run")}`);
  const { output } = JSON.parse(body) as RunRecord;
  t.is(output.bytes, megabytes * 2 ** 20 + 11);
  t.true(output.omitted > megabytes * 2 ** 20 - 741_824);
});

test("a detached grandchild that keeps the output open does not delay the run", async (t) => {
  t.timeout(90_000);
  const project = await site(
    t,
    `hook_server "main" { listen = "127.0.0.1:0" }
hook "x" {
  run = ["sh", "-c", "setsid sh -c 'echo $$; touch up; exec sleep 30' & until [ -e up ]; do sleep 0.02; done; echo done"]
  response { include_output = true }
}
`,
  );
  const daemon = await run(t, project);
  const answer = await fetch(`${urlOf(daemon)}/x`, { method: "POST" });
  const text = await answer.text();
  t.teardown(() => runSync("kill", ["-9", /^\d+/.exec(text)?.[0] ?? "none"]));
  t.regex(text, /^\d+\ndone\n$/);
});

/** Only root can make a disk that fills up. */
if (process.getuid?.() === 0) {
  test("a full disk gets 503 with Retry-After; accepted runs stay", async (t) => {
    t.timeout(180_000);
    const project = await site(
      t,
      `hook_server "main" { listen = "127.0.0.1:0" }
hook "x" {
  run = ["true"]
  queue = 1000
}
`,
    );
    const state = join(project.directory, "state");
    mkdirSync(state, { mode: 0o700 });
    const mount = (...options: string[]): number | null =>
      runSync("/bin/mount", ["-t", "tmpfs", "-o", options.join(","), "reeve-test", state]).code;
    // Segments of the journal take 4 MiB each before anything is in them.
    t.teardown(() => runSync("/bin/umount", ["-l", state]));
    t.is(mount("size=16m", "mode=700"), 0);
    const daemon = await run(t, project);
    const body = JSON.stringify({ text: "x".repeat(100_000) });
    const post = () =>
      fetch(`${urlOf(daemon)}/x`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
    const accepted: Array<string | null> = [];
    let refused: Response | undefined;
    for (let count = 0; count < 500 && !refused; count += 1) {
      const answer = await post();
      if (answer.status === 202) accepted.push(answer.headers.get("reeve-run"));
      else refused = answer;
    }
    t.is(refused?.status, 503);
    t.truthy(refused?.headers.get("retry-after"));
    t.regex((await refused?.text()) ?? "", /cannot be recorded now; send it again later/);

    t.is(mount("remount", "size=64m"), 0);
    await eventually("room", async () => (await post()).status === 202, { every: 50 });
    const ended = async () =>
      new Map(
        (await recordsOf(daemon)).map(({ id, state, reason }) => [id, reason ?? state] as const),
      );
    const states = await eventually(
      "all runs to end",
      async () => {
        const all = await ended();
        return ![...all.values()].some((state) => /^(queued|running)$/.test(state)) && all;
      },
      { every: 100 },
    );
    t.true(accepted.length > 5);
    t.deepEqual(
      accepted.map((id) => [id, states.get(id ?? "")]).filter(([, state]) => state !== "succeeded"),
      [],
      "none of them is lost",
    );
  });
}
