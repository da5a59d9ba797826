/** What reaches the server and the editor, message by message. */
import test from "ava";
import { serverFrom } from "../servers/server.js";
import { delivery, notice, pushes, reply, request, started, talk } from "../testing/talk.js";

test("a server receives all settings once the editor is ready, and not before", (t) => {
  const at = talk();
  at.session.deliver(delivery({ warn_style: true }));
  t.deepEqual(at.atServer(), []);
  at.editor(request(1, "initialize", { capabilities: {} }));
  t.deepEqual(
    at.atServer().map(({ method }) => method),
    ["initialize"],
  );
  at.editor(notice("initialized"));
  const messages = at.atServer();
  t.deepEqual(
    messages.map(({ method }) => method),
    ["initialized", "workspace/didChangeConfiguration"],
  );
  const [settings] = pushes(messages);
  t.like(settings, { warn_style: true, semantic_tokens: "full", enable_snippets: true });
  t.false("zig_exe_path" in settings);
});

test("a change is pushed as the full set, once; the same again is not", (t) => {
  const at = started();
  at.atServer();
  at.session.deliver(delivery({ warn_style: false, force_autofix: true }));
  t.like(pushes(at.atServer()), {
    length: 1,
    0: { warn_style: false, force_autofix: true, enable_snippets: true },
  });
  for (let save = 0; save < 1000; save += 1) at.session.deliver(delivery({ force_autofix: true }));
  t.deepEqual(at.atServer(), []);
});

test("a question for settings is answered with the editor's own among them", (t) => {
  const at = started({ workspace: { configuration: true } });
  at.atServer();
  at.server(
    request("q", "workspace/configuration", { items: [{ section: "zls" }, { section: "other" }] }),
  );
  t.like(at.atEditor().at(-1), { id: "q", method: "workspace/configuration" });
  at.editor(reply("q", [{ semantic_tokens: "none", warn_style: null }, { their: "own" }]));
  const [answer] = at.atServer();
  t.is(answer.id, "q");
  t.like(answer.result[0], { semantic_tokens: "none", warn_style: true });
  t.deepEqual(answer.result[1], { their: "own" });
  at.session.deliver(delivery({ semantic_tokens: "partial", force_autofix: true }));
  t.like(pushes(at.atServer())[0], {
    semantic_tokens: "none",
    force_autofix: true,
    warn_style: false,
  });
});

test("single options are answered too, as older servers ask for them", (t) => {
  const at = started({ workspace: { configuration: true } });
  at.atServer();
  at.server(
    request(7, "workspace/configuration", {
      items: [{ section: "zls.warn_style" }, { section: "zls.zig_exe_path" }],
    }),
  );
  at.editor(reply(7, [null, null]));
  t.deepEqual(at.atServer()[0].result, [true, null]);
});

test("a server that asks an editor that cannot answer is answered here", (t) => {
  const at = started({});
  at.atServer();
  at.atEditor();
  at.server(
    request(3, "workspace/configuration", { items: [{ section: "zls" }, { section: "editor" }] }),
  );
  t.deepEqual(at.atEditor(), []);
  const [{ result }] = at.atServer();
  t.like(result[0], { warn_style: true });
  t.is(result[1], null);
});

test("questions that are not about our settings are the editor's alone", (t) => {
  const at = started({ workspace: { configuration: true } });
  at.atServer();
  at.server(request(4, "workspace/configuration", { items: [{ section: "python" }] }));
  at.editor(reply(4, [{ a: 1 }]));
  t.deepEqual(at.atServer(), [reply(4, [{ a: 1 }])]);
});

test("what an editor pushes is its layer: it wins over files, and an override wins over it", (t) => {
  const at = started();
  at.atServer();
  at.editor(
    notice("workspace/didChangeConfiguration", {
      settings: { zls: { semantic_tokens: "none" }, more: 1 },
    }),
  );
  const [message] = at.atServer();
  t.like(message.params.settings, { zls: { semantic_tokens: "none", warn_style: true }, more: 1 });
  at.session.deliver(
    delivery({ semantic_tokens: "partial" }, { warn_style: true, semantic_tokens: "full" }),
  );
  t.like(pushes(at.atServer())[0], { semantic_tokens: "full" });
});

test("files win where they are preferred", (t) => {
  const at = started({}, { semantic_tokens: "partial" }, undefined, "files");
  at.atServer();
  at.editor(
    notice("workspace/didChangeConfiguration", {
      settings: { zls: { semantic_tokens: "none", warn_style: true } },
    }),
  );
  t.like(pushes(at.atServer())[0], { semantic_tokens: "partial", warn_style: true });
});

test("settings without the section's name around them keep that form", (t) => {
  const at = started();
  at.atServer();
  at.editor(notice("workspace/didChangeConfiguration", { settings: { semantic_tokens: "none" } }));
  t.like(at.atServer()[0].params.settings, {
    semantic_tokens: "none",
    warn_style: true,
    enable_snippets: true,
  });
});

test("what an editor said before the daemon could be asked is not lost", (t) => {
  const at = talk();
  at.editor(
    request(1, "initialize", {
      capabilities: {},
      initializationOptions: { force_autofix: true, x: 1 },
    }),
  );
  at.editor(notice("initialized"));
  t.deepEqual(
    at.atServer().map(({ method }) => method),
    ["initialize", "initialized"],
  );
  at.session.deliver(delivery({ warn_style: true }));
  const [settings] = pushes(at.atServer());
  t.like(settings, { force_autofix: true, warn_style: true });
  t.false("x" in settings);
});

test("a value of the editor that the server would refuse is left out, with a word", (t) => {
  const at = started();
  at.atServer();
  at.atEditor();
  at.editor(
    notice("workspace/didChangeConfiguration", {
      settings: { zls: { warn_style: "yes", semantic_tokens: "none" } },
    }),
  );
  t.like(pushes(at.atServer())[0], { warn_style: true, semantic_tokens: "none" });
  t.like(at.atEditor(), [
    {
      method: "window/logMessage",
      params: {
        message:
          'Reeve leaves out a setting of the editor: `warn_style` must be `true` or `false`, not the text "yes".',
      },
    },
  ]);
});

test("an editor that shows refreshes is asked to, and its answer stays here", (t) => {
  const at = started({
    workspace: { semanticTokens: { refreshSupport: true }, inlayHint: { refreshSupport: true } },
  });
  at.atServer();
  at.atEditor();
  at.session.deliver(delivery({ warn_style: true, semantic_tokens: "none" }));
  const request = at.atEditor();
  t.deepEqual(
    request.map(({ method }) => method),
    ["workspace/semanticTokens/refresh", "workspace/inlayHint/refresh"],
  );
  at.atServer();
  for (const { id } of request) at.editor(reply(id, null));
  t.deepEqual(at.atServer(), []);
});

test("open documents are looked at again where diagnostics change", (t) => {
  const at = started();
  at.editor(
    notice("textDocument/didOpen", {
      textDocument: { uri: "file:///a.zig", languageId: "zig", version: 4, text: "x" },
    }),
  );
  at.atServer();
  at.session.deliver(delivery({ warn_style: false }));
  t.deepEqual(
    at.atServer()[1],
    notice("textDocument/didChange", {
      textDocument: { uri: "file:///a.zig", version: 4 },
      contentChanges: [],
    }),
  );
});

test("nested settings of any server are found by their path", (t) => {
  const at = talk();
  const server = {
    ...serverFrom("python", { properties: { analysis: { type: "object" } } }),
    section: "python",
  };
  at.session.deliver({
    name: "pyright",
    version: 1,
    server,
    layers: [{ origin: "file", values: { analysis: { typeCheckingMode: "off" } } }],
  });
  at.editor(request(1, "initialize", { capabilities: { workspace: { configuration: true } } }));
  at.editor(notice("initialized"));
  at.atServer();
  at.server(
    request(2, "workspace/configuration", {
      items: [{ section: "python.analysis" }, { section: "pyright" }],
    }),
  );
  at.editor(reply(2, [{}, null]));
  t.deepEqual(at.atServer()[0].result, [{ typeCheckingMode: "off" }, null]);
});
