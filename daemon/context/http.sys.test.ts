/** HTTP through the host: the same answers in every isolation, and addresses that outlive generations. */
import { connect, createServer } from "node:net";
import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { waitFor } from "../host/testing/daemon.js";
import { ISOLATIONS, type Probed, probe } from "../host/testing/probed.js";
import { ask } from "../http/testing/client.js";
import type { Isolation } from "../plugin-api/descriptor.js";

const ends: Array<() => unknown> = [];
test.after.always(async () => {
  for (const end of ends.reverse()) await end();
});

const unchanged = new Map<Isolation, Promise<Probed>>();

/** For tests that change nothing of it. */
function unchangedProbe(isolation: Isolation): Promise<Probed> {
  const started =
    unchanged.get(isolation) ?? probe({ teardown: (end) => ends.push(end) }, isolation);
  unchanged.set(isolation, started);
  return started;
}

for (const isolation of ISOLATIONS) {
  const where = `in isolation ${isolation}`;

  test.serial(`requests are answered ${where}`, async (t) => {
    const probed = await unchangedProbe(isolation);
    const answer = await probed.get("/probe/reply?a=b%20c");
    t.like(answer, { status: 200, body: "hello to 127.0.0.1 at /probe/reply?a=b%20c" });
    t.is(answer.headers["x-probe"], "a, b");
    t.is(answer.headers["content-length"], String(answer.body.length));
    const long = await probed.get("/probe/long");
    t.is(long.body.length, 300 * 1024);
    t.true(long.body.startsWith(`${"0".repeat(1024)}1`));
    t.like(await probed.get("/probe/nothing"), { status: 404 });
    t.like(JSON.parse((await probed.get("/probe/nothing")).body), {
      code: "not_found",
      detail: "There is no GET /probe/nothing here.",
    });
    t.is((await ask(await probed.address(), "/probe/reply", { method: "HEAD" })).body, "");
  });

  test.serial(
    `bodies short and long arrive whole, too long ones are refused ${where}`,
    async (t) => {
      const probed = await unchangedProbe(isolation);
      for (const length of [0, 1, 64 * 1024, 64 * 1024 + 1, 190_000]) {
        const { body } = await probed.post(
          "/probe/count",
          "x".repeat(length),
          "application/x-probe",
        );
        t.deepEqual(JSON.parse(body), { size: length }, String(length));
      }
      const chunked = await ask(await probed.address(), "/probe/count", {
        method: "POST",
        body: "y".repeat(150_000),
        headers: { "content-type": "application/x-probe", "transfer-encoding": "chunked" },
      });
      t.deepEqual(JSON.parse(chunked.body), { size: 150_000 });
      const long = await probed.post("/probe/use/reply", JSON.stringify("z".repeat(300_000)));
      t.is(long.status, 413);
      t.is((JSON.parse(long.body) as { code: string }).code, "payload_too_large");
    },
  );

  test.serial(`a bug in a route is an answer without its details ${where}`, async (t) => {
    const probed = await unchangedProbe(isolation);
    const { status, body, headers } = await probed.post("/probe/use/throw", "{}");
    t.is(status, 500);
    t.is(headers["content-type"], "application/problem+json; charset=utf-8");
    t.false(body.includes("a bug"));
    await waitFor(() => probed.daemon.log.includes("A request failed: a bug"), "the log line");
    const wrong = await probed.post("/probe/use/reply", "{");
    t.is(wrong.status, 400);
  });

  test.serial(`a raw handler gets Node's request and response ${where}`, async (t) => {
    const probed = await probe(t, isolation);
    const address = await probed.address();
    await probed.apply(`listen = "${address}"; raw = "/raw"`);
    for (const method of ["GET", "POST", "PROPFIND"]) {
      const body = method === "GET" ? "" : "x".repeat(300_000);
      const answer = await ask(address, "/raw/some?a=b", { method, body });
      t.like(answer, { status: 201, body: `/raw/some?a=b ${body.length}` });
      t.is(answer.headers["x-method"], method);
      t.is(answer.headers["x-from"], "127.0.0.1");
    }
    t.is((await ask(address, "/raw/throw")).status, 500);
    await waitFor(() => probed.daemon.log.includes("A request failed: a bug"), "the log line");
  });

  test.serial(`a client that goes away is noticed ${where}`, async (t) => {
    const probed = await unchangedProbe(isolation);
    const { host, port } = new URL(`http://${await probed.address()}`);
    const socket = connect(Number(port), "127.0.0.1");
    t.teardown(() => socket.destroy());
    socket.write(`GET /probe/hold HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await untilNoted(probed, "held");
    socket.destroy();
    await untilNoted(probed, "left");
    t.pass();
  });

  test.serial(
    `an edit takes over the address; who came before is answered by whom they came to ${where}`,
    async (t) => {
      const probed = await probe(t, isolation);
      const address = await probed.address();
      const body = `listen = "${address}"\n`;
      await probed.apply(`${body}reply = "first"`);
      const slow = ask(address, "/probe/slow");
      const { prepared } = await probed.daemon.prepare(probed.text(`${body}reply = "second"`));
      t.is((await ask(address, "/probe/reply")).body.split(" ")[0], "first");
      if (prepared) probed.daemon.commit(prepared);
      t.is((await ask(address, "/probe/reply")).body.split(" ")[0], "second");
      await prepared?.release();
      t.is((await slow).body, "first");
      t.is(await probed.use("reply"), "second");
    },
  );

  test.serial(`an attempt that is refused leaves no trace on the address ${where}`, async (t) => {
    const probed = await probe(t, isolation);
    const body = `listen = "${await probed.address()}"\n`;
    await probed.apply(`${body}reply = "first"`);
    const refused = await probed.apply(`${body}reply = "second"; trouble = "report"`);
    t.deepEqual(refused.complaints, ["probe.refused trouble is asked for"]);
    const thrown = await probed.apply(`${body}reply = "third"; trouble = "throw"`);
    t.deepEqual(thrown.complaints, ["E652 the plugin `probe` cannot prepare: trouble is thrown"]);
    t.is(await probed.use("reply"), "first");
    t.is((await probed.apply(`${body}reply = "fourth"`)).reason, undefined);
    t.is(await probed.use("reply"), "fourth");
  });

  test.serial(`the address is closed with the last block ${where}`, async (t) => {
    const probed = await probe(t, isolation);
    const address = await probed.address();
    await probed.remove();
    await t.throwsAsync(ask(address, "/probe/reply"), { code: "ECONNREFUSED" });
    t.is(probed.daemon.mounted.size, 0);
  });

  test.serial(`an address that somebody has refuses the generation ${where}`, async (t) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    t.teardown(() => other.close());
    const { port } = other.address() as { readonly port: number };
    const probed = await probe(t, isolation);
    const { reason } = await probed.apply(`listen = "127.0.0.1:${port}"`);
    t.regex(reason ?? "", new RegExp(`^The plugin probe cannot prepare: .*127.0.0.1:${port}`));
    t.is(await probed.use("reply"), "hello");
  });
}

/** Waits until the plugin has noted the word. */
async function untilNoted(probed: Probed, word: string): Promise<void> {
  await eventually(`a note "${word}" of the plugin`, async () =>
    ((await probed.use("told")) as readonly string[]).includes(word),
  );
}
