/** Bodies that are no text, given to a command as they came. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import test from "ava";
import { type HooksFixture, startFixture } from "./testing/fixture.js";
import { hook, release, SERVER } from "./testing/pieces.js";

/** Every byte there is, those that UTF-8 has not among them. */
const BYTES = Uint8Array.from({ length: 1024 }, (_, index) => (index * 7) % 256);
const BINARY = { "content-type": "application/octet-stream" };
const OUTPUT = "response { include_output = true }";

const send = (
  at: HooksFixture,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = BINARY,
  to = "x",
) => fetch(`${at.url}/${to}`, { method: "POST", body, headers });

const received = async (answer: Response) => [
  answer.status,
  Buffer.from(await answer.arrayBuffer()).toString("hex"),
];

const rows: ReadonlyArray<readonly [title: string, body: string]> = [
  ["its input", 'run = ["cat"]\nstdin = raw_body'],
  ["its input by default", 'run = ["cat"]\nstdin = payload ?? raw_body'],
  ["a file", 'script = "cat $BODY"\nfiles = { BODY = raw_body }'],
  ["Base64", 'run = ["base64", "-d"]\nstdin = raw_body.base64'],
];

const forms: ReadonlyArray<readonly [title: string, body: string]> = [
  ["its input", 'run = ["cat"]\nstdin = files.doc.bytes'],
  ["a file", 'script = "cat $DOC"\nfiles = { DOC = files.doc.bytes }'],
];

for (const isolation of ["inline", "process"] as const) {
  test(`a command has a body, and a file of a form, byte for byte, with the hooks ${isolation}`, async (t) => {
    const hooks = (kind: string, all: typeof rows) =>
      all.map(([, body], index) => hook(`${kind}${index}`, `${body}\n${OUTPUT}`)).join("");
    const at = await startFixture(t, SERVER + hooks("body", rows) + hooks("form", forms), {
      isolation,
    });
    const all = Buffer.from(BYTES).toString("hex");
    for (const [index, [title]] of rows.entries()) {
      const to = `body${index}`;
      t.deepEqual(await received(await send(at, BYTES, BINARY, to)), [200, all], title);
      t.deepEqual(await received(await send(at, new Uint8Array(), BINARY, to)), [200, ""], title);
    }
    for (const [index, [title]] of forms.entries()) {
      const post = (body: FormData) => fetch(`${at.url}/form${index}`, { method: "POST", body });
      const form = new FormData();
      form.set("doc", new Blob([BYTES]), "doc.bin");
      t.deepEqual(await received(await post(form)), [200, all], title);
      t.is((await post(new FormData())).status, 422, title);
    }
  });
}

test("the bytes of a form's files are not part of other values", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `run = ["cat"]\nstdin = files\n${OUTPUT}`));
  const form = new FormData();
  form.set("doc", new Blob(["a"]), "doc.txt");
  const answer = await fetch(`${at.url}/x`, { method: "POST", body: form });
  t.deepEqual(await answer.json(), {
    doc: {
      name: "doc.txt",
      type: "application/octet-stream",
      size: 1,
      text: "a",
      base64: "YQ==",
    },
  });
});

test("a body that is packed is given as it was sent", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `run = ["cat"]\nstdin = raw_body\n${OUTPUT}`),
  );
  const packed = Uint8Array.from(gzipSync('{"a":1}'));
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const answer = await send(at, packed, headers);
  t.deepEqual(await received(answer), [200, Buffer.from(packed).toString("hex")]);
});

test("within something else it is its size and its text in Base64", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `run = ["cat"]\nstdin = { sent = raw_body }\n${OUTPUT}`),
  );
  const answer = await send(at, Uint8Array.of(255, 0));
  t.deepEqual(await answer.json(), { sent: { size: 2, base64: "/wA=" } });
});

test("it is known in `stdin` and `files` only", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["true"]'));
  for (const body of ['run = ["x", raw_body.base64]', 'run = ["x"]\nwhen = raw_body.size > 1']) {
    const [complaint] = await at.edit(SERVER + hook("x", body));
    t.regex(complaint ?? "", /raw_body/);
  }
});

test("a run that is taken up again has the same bytes", async (t) => {
  const script =
    'script = "echo x >>tries; cat >got; until [ -e a ]; do sleep 0.02; done; cp got done"';
  const retry = 'retry { on = ["interruption"] }';
  const config = hook("x", `${script}\nstdin = raw_body\n${retry}`);
  const at = await startFixture(t, SERVER + config, { isolation: "process" });
  t.is((await send(at, BYTES)).status, 202);
  await at.plugin.until(() => existsSync(join(at.directory, "tries")), "the command to begin");
  await at.plugin.crash();
  await release(at, "a");
  t.is((await at.next("hook.finished")).state, "succeeded");
  t.is((await at.plugin.runs())[0]?.state, "succeeded");
  t.is(await readFile(join(at.directory, "tries"), "utf8"), "x\nx\n");
  t.deepEqual(new Uint8Array(await readFile(join(at.directory, "done"))), BYTES);
});
