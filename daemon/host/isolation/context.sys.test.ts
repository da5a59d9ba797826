/** Every gift, in every isolation: the same plugin gets the same answers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { waitFor } from "../testing/daemon.js";
import { ISOLATIONS, type Probed, probe } from "../testing/probed.js";

const BODY = `
  token = secret("env:TOKEN")
  when = payload.ref == "main" && header["X-A"] == "b"
  match = re"^[a-c]+\\d"
  timeout = 90s
  step "one" { size = 2KiB }
  step "two" {}
`;

type Use = readonly [what: string, argument: Readonly<Record<string, unknown>>, answer: unknown];

const uses: readonly Use[] = [
  ["reply", {}, "hello"],
  ["who", {}, { id: "probe", generation: 1, label: "x", key: "p.probe.x" }],
  [
    "values",
    { payload: { ref: "main" } },
    {
      token: "tell-nobody",
      shown: "(secret)",
      equals: true,
      when: { kind: "value", value: true },
      why: "missing",
      match: true,
      timeout: 90_000,
      steps: [
        ["one", 2048],
        ["two", 1024],
      ],
    },
  ],
  ["keep", { key: "a", value: { b: [1, null] } }, [["a", { b: [1, null] }]]],
  ["forget", { key: "a" }, { deleted: true, left: true }],
  ["table", { words: ["c", "b"] }, { words: ["b", "c", "first"], updated: 3 }],
  [
    "job",
    { payload: { n: 1 } },
    { payload: { n: 1 }, attempt: 2, progress: { half: true }, hasId: true },
  ],
  [
    "run",
    {},
    { state: "failed", exitCode: 3, detail: { a: 1 }, text: "first second", listed: true },
  ],
  [
    "command",
    { argv: ["cat"], stdin: "through" },
    { outcome: "exited", code: 0, text: "through", parts: ["stdout:through"] },
  ],
  [
    "command",
    { argv: ["sh", "-c", 'printf %s "$TOKEN" | tr a-z A-Z'], stdin: "" },
    { outcome: "exited", code: 0, text: "TELL-NOBODY", parts: ["stdout:TELL-NOBODY"] },
  ],
  ["cancel", {}, "cancelled"],
  ["service", { name: "nothing", text: "a" }, "nobody"],
  ["service", { name: "probing", text: "itself" }, "probed itself"],
  ["clock", {}, { passed: true, woken: "woken" }],
  ["tell", { text: "news" }, "told"],
];

for (const isolation of ISOLATIONS) {
  test.serial(`every gift answers a plugin in isolation ${isolation}`, async (t) => {
    const probed = await probe(t, isolation, BODY, { environment: { TOKEN: "tell-nobody" } });
    const received: unknown[] = [];
    probed.daemon.kit.events.subscribe(({ type, plugin, data }) => {
      if (type === "probe.told") received.push([plugin, data]);
    });
    for (const [what, argument, answer] of uses) {
      t.deepEqual(await probed.use(what, argument), answer, what);
    }
    await waitFor(() => received.length > 0, "the event");
    t.deepEqual(received, [["probe", { text: "news" }]]);
    await waitFor(() => probed.daemon.log.includes("news"), "the log line");
    t.false(probed.daemon.log.includes("tell-nobody"));
    await metric(probed, /reeve_probe_calls_total\{path="\/tell"\} 2/);
    await metric(probed, /reeve_probe_depth 4/);
    await metric(probed, /reeve_probe_took_seconds_count 1/);
    t.pass();
  });

  test.serial(`a plugin in isolation ${isolation} watches files`, async (t) => {
    const probed = await probe(t, isolation);
    const path = join(probed.daemon.folder, "watched.txt");
    writeFileSync(path, "content");
    t.deepEqual(await probed.use("watch", { path }), ["content"]);
  });

  test.serial(
    `a plugin in isolation ${isolation} keeps secrets for others and shows panels`,
    async (t) => {
      const probed = await probe(t, isolation);
      await probed.apply('token = secret("p:safe")');
      t.like(await probed.use("values"), { token: "secret of safe" });
      const [shown] = await probed.daemon.host.panels();
      t.like(shown?.panels[0], {
        title: "Told",
        entries: [{ name: "released" }, { name: "released" }],
      });
    },
  );
}

for (const isolation of ["worker", "process"] as const) {
  test.serial(`what a plugin in a ${isolation} prints goes into the log`, async (t) => {
    const probed = await probe(t, isolation);
    await probed.use("tell", { text: "news" });
    await waitFor(() => probed.daemon.log.includes("printed news"), "the line");
    t.pass();
  });

  test.serial(`what a plugin in a ${isolation} takes of the machine is known`, async (t) => {
    const probed = await probe(t, isolation);
    await probed.daemon.host.health();
    const status = probed.daemon.status("probe");
    t.true((status?.heap ?? 0) > 1_000_000);
    t.true((status?.cpu ?? -1) >= 0);
    t.is(status?.pid !== undefined, isolation === "process");
  });
}

/** Measurements cross without being waited for. */
async function metric({ daemon }: Probed, line: RegExp): Promise<void> {
  await eventually(`a metric like ${line.source}`, async () =>
    line.test(await daemon.kit.metrics.text()),
  );
}
