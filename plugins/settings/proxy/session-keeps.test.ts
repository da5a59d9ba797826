/** What a session leaves alone, and what it keeps for a server that is started again. */
import test, { type ExecutionContext } from "ava";
import fc from "fast-check";
import { delivery, notice, reply, request, started } from "../testing/talk.js";
import { Session } from "./session.js";

test("a restarted server receives the state of its predecessor", (t) => {
  const at = started();
  at.editor(
    notice("textDocument/didOpen", {
      textDocument: { uri: "file:///a.zig", languageId: "zig", version: 1, text: "one\ntwo 😀\n" },
    }),
  );
  at.editor(
    notice("textDocument/didChange", {
      textDocument: { uri: "file:///a.zig", version: 2 },
      contentChanges: [
        {
          range: { start: { line: 1, character: 4 }, end: { line: 1, character: 6 } },
          text: "three",
        },
        { range: { start: { line: 0, character: 3 }, end: { line: 1, character: 0 } }, text: "" },
      ],
    }),
  );
  at.editor(
    notice("textDocument/didOpen", {
      textDocument: { uri: "file:///b.zig", languageId: "zig", version: 1, text: "" },
    }),
  );
  at.editor(notice("textDocument/didClose", { textDocument: { uri: "file:///b.zig" } }));
  at.editor(request(9, "textDocument/hover"));
  at.atServer();
  at.atEditor();
  at.session.serverGone();
  t.like(at.atEditor(), [{ id: 9, error: { code: -32801 } }]);
  at.session.serverBack();
  const [initialize, ...early] = at.atServer();
  t.is(initialize.method, "initialize");
  at.session.deliver(delivery({ warn_style: true, force_autofix: true }));
  at.editor(request(10, "textDocument/hover"));
  t.deepEqual([...early, ...at.atServer()], [], "it is not awake yet");
  at.server(reply(initialize.id, { capabilities: {} }));
  t.deepEqual(at.atEditor(), []);
  const snapshot = at.atServer();
  t.deepEqual(
    snapshot.map(({ method }) => method),
    [
      "initialized",
      "textDocument/didOpen",
      "workspace/didChangeConfiguration",
      "textDocument/hover",
    ],
  );
  t.deepEqual(snapshot[1].params.textDocument, {
    uri: "file:///a.zig",
    languageId: "zig",
    version: 2,
    text: "onetwo three\n",
  });
  t.true(snapshot[2].params.settings.zls.force_autofix);
});

test("every other message goes by as the same bytes, both ways", (t) => {
  const others = fc.record(
    {
      jsonrpc: fc.constant("2.0"),
      id: fc.oneof(fc.integer(), fc.string()),
      method: fc.constantFrom(
        "textDocument/hover",
        "x/workspace",
        "$/progress",
        "textDocument/didOpen",
      ),
      params: fc.jsonValue(),
    },
    { requiredKeys: ["jsonrpc"] },
  );
  const passes = (t: ExecutionContext, message: unknown, indent: number) => {
    const body = Buffer.from(JSON.stringify(message, undefined, indent));
    const bytes = Buffer.concat([
      Buffer.from(`X-More: 1\r\nContent-Length: ${body.length}\r\n\r\n`),
      body,
    ]);
    const seen: Buffer[] = [];
    const session = new Session(
      {
        toEditor: (each) => seen.push(each),
        toServer: (each) => seen.push(each),
        later: () => undefined,
      },
      "editor",
    );
    session.deliver(delivery({ warn_style: true }));
    session.fromEditor({ bytes, body });
    session.fromServer({ bytes, body });
    t.is(seen.length, 2);
    t.true(seen.every((each) => each.equals(bytes)));
  };
  fc.assert(
    fc.property(others, fc.constantFrom(0, 2), (message, indent) => passes(t, message, indent)),
  );
});

test("bodies that are no messages go by, too", (t) => {
  const seen: string[] = [];
  const session = new Session(
    {
      toEditor: (each) => seen.push(`${each}`),
      toServer: (each) => seen.push(`${each}`),
      later: () => undefined,
    },
    "editor",
  );
  for (const text of [
    "",
    "{",
    "[]",
    "null",
    '"reeve:"',
    '{"method":"workspace\\/configuration"}',
    '{"id":"reeve:1"',
    '{"id":{},"method":"workspace/configuration"}',
  ]) {
    const body = Buffer.from(text);
    session.fromEditor({ bytes: body, body });
    session.fromServer({ bytes: body, body });
    t.deepEqual(seen.splice(0), [text, text], text);
  }
});
