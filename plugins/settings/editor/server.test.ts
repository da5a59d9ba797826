/** Answers to an editor while a user writes a settings file. */
import test from "ava";
import { frameOf, RpcFrameReader } from "../proxy/frames.js";
import { Checker } from "../schema/checker.js";
import { zls } from "../servers/zls/zls.js";
import { notice, request, type SentMessage } from "../testing/talk.js";
import { SettingsServer } from "./server.js";

const checker = new Checker(zls);

function opened(name: string, text: string) {
  const reader = new RpcFrameReader();
  const sent: SentMessage[] = [];
  const server = new SettingsServer(
    (bytes) => {
      for (const { body } of reader.push(bytes)) sent.push(JSON.parse(body.toString()));
    },
    async (file) => (file.startsWith("zls.") ? checker : undefined),
  );
  const uri = `file:///etc/${name}`;
  const take = async (message: unknown): Promise<number | undefined> => {
    const [frame] = [...new RpcFrameReader().push(frameOf(message))];
    return frame && server.take(frame);
  };
  const ask = async (method: string, line = 0, character = 0): Promise<SentMessage> => {
    await take(request(1, method, { textDocument: { uri }, position: { line, character } }));
    return sent.pop()?.result;
  };
  const open = take(notice("textDocument/didOpen", { textDocument: { uri, version: 1, text } }));
  return { uri, sent, take, ask, open };
}

test("faults are told as one types, at the right place", async (t) => {
  const { sent, take, open, uri } = opened("zls.json", '{\n  "😀": 1, "warn_style": 1\n}\n');
  await open;
  t.like(sent.pop(), {
    method: "textDocument/publishDiagnostics",
    params: {
      diagnostics: [
        { severity: 2, code: "settings.unknown_key", range: { start: { line: 1, character: 2 } } },
        {
          severity: 1,
          range: { start: { line: 1, character: 25 }, end: { line: 1, character: 26 } },
          message: "`warn_style` must be `true` or `false`, not the number 1\ndid you mean `true`?",
        },
      ],
    },
  });
  const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 26 } };
  await take(
    notice("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range, text: '"warn_style": true' }],
    }),
  );
  t.deepEqual(sent.pop().params.diagnostics, []);
  await take(notice("textDocument/didOpen", { textDocument: { uri, version: 3, text: "{" } }));
  t.is(sent.pop().params.diagnostics.length, 1);
  await take(notice("textDocument/didClose", { textDocument: { uri } }));
  t.deepEqual(sent.pop().params.diagnostics, []);
});

const range = (line: number, start: number, end = start) => ({
  start: { line, character: start },
  end: { line, character: end },
});

test("a fault whose correction is known is put right with one key press", async (t) => {
  const text = '{\n  "enable_snipets": true,\n  "semantic_tokens": "ful",\n}\n';
  const { sent, take, open, uri } = opened("zls.json", text);
  await open;
  const offered = async (where: object): Promise<SentMessage> => {
    await take(request(1, "textDocument/codeAction", { textDocument: { uri }, range: where }));
    return sent.pop()?.result;
  };
  const [fix, ...more] = await offered(range(1, 4));
  t.deepEqual(more, []);
  t.like(fix, { title: 'Write "enable_snippets"', kind: "quickfix", isPreferred: true });
  t.deepEqual(fix.edit, {
    changes: { [uri]: [{ range: range(1, 2, 18), newText: '"enable_snippets"' }] },
  });
  t.like(fix.diagnostics[0], { code: "settings.unknown_key", range: range(1, 2, 18) });
  const all = await offered({ start: { line: 0, character: 0 }, end: { line: 4, character: 0 } });
  t.deepEqual(
    all.map(({ title }: { readonly title: string }) => title),
    ["Remove it", 'Write "enable_snippets"', 'Write "full"'],
  );
  t.deepEqual(await offered(range(0, 0)), []);
});

test("a path that is not there is a warning", async (t) => {
  const { sent, open } = opened("zls.json", '{"zig_exe_path": "/no/such/zig"}');
  await open;
  t.like(sent.pop().params.diagnostics, [
    { severity: 2, code: "settings.path", range: range(0, 17, 31) },
  ]);
});

test("keys that are not there yet are offered, with what they mean", async (t) => {
  const { ask, open } = opened("zls.json", '{\n  "warn_style": true,\n  "sem": 1\n}');
  await open;
  const keys: readonly SentMessage[] = await ask("textDocument/completion", 2, 5);
  t.is(keys.length, 22);
  const semantic = keys.find(({ label }) => label === "semantic_tokens");
  t.regex(semantic.documentation, /highlighted by meaning/);
  t.deepEqual(semantic.textEdit, {
    range: { start: { line: 2, character: 2 }, end: { line: 2, character: 7 } },
    newText: '"semantic_tokens"',
  });
  const fresh: readonly SentMessage[] = await ask("textDocument/completion", 1, 21);
  t.deepEqual(fresh.find(({ label }) => label === "force_autofix").textEdit, {
    range: range(1, 21),
    newText: '"force_autofix": false',
  });
});

for (const [what, text, character, replaced, filter, newText] of [
  ["an open quote", '{"war', 5, [1, 5], '"warn_style"', '"warn_style": false'],
  ["a quoted word", '{"war"', 5, [1, 6], '"warn_style"', '"warn_style": false'],
  ["a bare word", "{war", 4, [1, 4], "warn_style", '"warn_style": false'],
  ["nothing", "{ ", 2, [2, 2], "warn_style", '"warn_style": false'],
] as const) {
  test(`a key that is being typed is completed: ${what}`, async (t) => {
    const { ask, open } = opened("zls.json", text);
    await open;
    const keys: readonly SentMessage[] = await ask("textDocument/completion", 0, character);
    t.is(keys.length, 23);
    const key = keys.find(({ label }) => label === "warn_style");
    t.is(key.filterText, filter);
    t.deepEqual(key.textEdit, { range: range(0, replaced[0], replaced[1]), newText });
  });
}

test("a value that is being typed is completed", async (t) => {
  const { ask, open } = opened("zls.json", '{"warn_style": tr}');
  await open;
  t.like(await ask("textDocument/completion", 0, 17), [
    { label: "true", textEdit: { range: range(0, 15, 17), newText: "true" } },
    { label: "false" },
  ]);
});

test("values that are allowed are offered", async (t) => {
  const { ask, open } = opened("zls.json5", "{\n  semantic_tokens: \n}");
  await open;
  const labels = async (...position: [number, number]) =>
    (await ask("textDocument/completion", ...position)).map(({ label }: SentMessage) => label);
  t.deepEqual(await labels(1, 19), ['"none"', '"partial"', '"full"']);
  const nullable = opened("zls.json", '{"enable_build_on_save": tr}');
  await nullable.open;
  const offered: readonly SentMessage[] = await nullable.ask("textDocument/completion", 0, 25);
  t.deepEqual(
    offered.map(({ label }) => label),
    ["true", "false", "null"],
  );
});

test("a key tells what it means", async (t) => {
  const { ask, open } = opened("zls.jsonc", '{ "warn_style": true, "x": 1 }');
  await open;
  t.regex(
    (await ask("textDocument/hover", 0, 5)).contents.value,
    /^\*\*warn_style\*\*: boolean, default `false`/,
  );
  t.is(await ask("textDocument/hover", 0, 24), null);
});

test("other files are left alone", async (t) => {
  const { ask, open, sent } = opened("package.json", "{,}");
  await open;
  t.deepEqual(sent, []);
  t.deepEqual(await ask("textDocument/completion", 0, 1), []);
});

test("it begins and ends as the protocol says", async (t) => {
  const { ask, take, sent, open } = opened("zls.json", "{}");
  await open;
  t.like((await ask("initialize")).capabilities, {
    hoverProvider: true,
    codeActionProvider: { codeActionKinds: ["quickfix"] },
  });
  await take(request(2, "textDocument/rename"));
  t.like(sent.pop(), { id: 2, error: { code: -32601 } });
  t.is(await ask("shutdown"), null);
  await take(request(3, "textDocument/hover"));
  t.like(sent.pop(), { id: 3, error: { code: -32600 } });
  t.is(await take(notice("exit")), 0);
  t.is(await opened("zls.json", "{}").take(notice("exit")), 1);
});
