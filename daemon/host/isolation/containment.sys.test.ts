/** What goes wrong in a plugin stays there: the host goes on, says why, and starts it again. */
import test from "ava";
import { ask } from "../../http/testing/client.js";
import { waitFor } from "../testing/daemon.js";
import { probe } from "../testing/probed.js";

const PAPER = /^It crashed: out of paper \(at \/.*\/probe\.js:\d+:\d+.*\)\.$/;
const isolations = ["worker", "process"] as const;

const ends: ReadonlyArray<readonly [what: string, reasons: Record<"worker" | "process", RegExp>]> =
  [
    ["crash", { worker: PAPER, process: PAPER }],
    [
      "exit",
      { worker: /^It ended itself with code 7\.$/, process: /^It ended itself with code 7\.$/ },
    ],
    [
      "swell",
      {
        worker: /^It ran out of memory \(256 MiB\)\.$/,
        process: /^It was aborted, probably out of memory \(256 MiB\)\.$/,
      },
    ],
  ];

for (const isolation of isolations) {
  for (const [what, reasons] of ends) {
    test.serial(`a plugin in a ${isolation} that does "${what}" is started again`, async (t) => {
      const probed = await probe(t, isolation);
      const { daemon } = probed;
      const address = await probed.address();
      await probed.apply(`listen = "${address}"; reply = "alive"`);
      // It may be gone before its answer has left it.
      const answer = await probed.use(what).catch(String);
      t.regex(String(answer), /^soon$|^Error: 503 /);
      await waitFor(() => daemon.status("probe")?.failure !== undefined, "the failure");
      t.regex(daemon.status("probe")?.failure?.reason ?? "", reasons[isolation]);
      const between = await ask(address, "/probe/reply");
      t.true([200, 503].includes(between.status));
      await waitFor(() => daemon.status("probe")?.state === "running", "the new instance");
      t.is(await probed.use("reply"), "alive");
      t.is(daemon.status("probe")?.restarts, 1);
    });
  }

  test.serial(
    `a plugin in a ${isolation} that hangs is found out by its health and started again`,
    async (t) => {
      const probed = await probe(t, isolation, "", { healthInterval: 20 });
      const { daemon } = probed;
      const pid = daemon.status("probe")?.pid;
      await probed.use("hang");
      await waitFor(() => daemon.status("probe")?.failure !== undefined, "the failure");
      t.is(
        daemon.status("probe")?.failure?.reason,
        "It was unhealthy: It did not say how it is within 1 s.",
      );
      await waitFor(() => daemon.status("probe")?.state === "running", "the new instance");
      t.is(await probed.use("reply"), "hello");
      if (pid !== undefined) await waitFor(() => !isAlive(pid), "the old process to be gone");
    },
  );

  test.serial(`a plugin in a ${isolation} whose commit throws is started again`, async (t) => {
    const probed = await probe(t, isolation);
    const { daemon } = probed;
    await probed.apply('trouble = "commit"');
    await waitFor(() => daemon.status("probe")?.failure !== undefined, "the failure");
    t.regex(
      daemon.status("probe")?.failure?.reason ?? "",
      /^It did what it must not: swap failed \(at \/.*\/probe\.js:\d+:\d+ in commit\)\.$/,
    );
  });

  test.serial(`stopping the host ends a plugin in a ${isolation} that hangs`, async (t) => {
    const probed = await probe(t, isolation);
    const pid = probed.daemon.status("probe")?.pid;
    await probed.use("hang");
    await probed.daemon.host.stop(AbortSignal.timeout(300));
    t.is(probed.daemon.status("probe")?.state, "stopped");
    if (pid !== undefined) t.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.serial("while a plugin is down its requests are told so", async (t) => {
  const probed = await probe(t, "process");
  const address = await probed.address();
  process.kill(probed.daemon.status("probe")?.pid ?? 0, "SIGKILL");
  await waitFor(() => probed.daemon.status("probe")?.state === "backoff", "the failure");
  t.is(probed.daemon.status("probe")?.failure?.reason, "It was ended by SIGKILL.");
  const { status, body, headers } = await ask(address, "/probe/reply");
  t.is(status, 503);
  t.is(headers["retry-after"], "1");
  t.is((JSON.parse(body) as { detail: string }).detail, 'The plugin "probe" is being restarted.');
  const health = await probed.daemon.host.health();
  t.deepEqual(health.get("probe"), { state: "failed", reason: "It was ended by SIGKILL." });
});

test.serial(
  "a plugin that says it is failed is started again, and running on it is not",
  async (t) => {
    const probed = await probe(t, "worker", "", { healthInterval: 20 });
    const { daemon } = probed;
    await probed.use("unwell", { state: "degraded", reason: "half of it works" });
    await waitFor(() => daemon.status("probe")?.state === "degraded", "it to be degraded");
    t.deepEqual(daemon.status("probe")?.health, { state: "degraded", reason: "half of it works" });
    await probed.use("unwell", { state: "failed", reason: "nothing works" });
    await waitFor(() => daemon.status("probe")?.restarts === 1, "the restart");
    t.is(daemon.status("probe")?.failure?.reason, "It was unhealthy: nothing works");
  },
);
