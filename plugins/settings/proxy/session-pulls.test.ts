/** How a server that asks for its settings gets them: by section, by workspace folder, once at the start. */
import test from "ava";
import { serverFrom } from "../servers/server.js";
import { delivery, notice, pushes, reply, request, started, talk } from "../testing/talk.js";

const ASKS = { workspace: { configuration: true } };

const items = (...sections: readonly string[]) => ({
  items: sections.map((section) => ({ section })),
});

test("the editor's value of a single option is its layer", (t) => {
  const at = started(ASKS);
  at.atServer();
  at.server(request(7, "workspace/configuration", items("zls.warn_style", "zls.semantic_tokens")));
  at.editor(reply(7, [false, "none"]));
  t.deepEqual(at.atServer()[0].result, [false, "none"]);
  at.session.deliver(delivery({ warn_style: true, force_autofix: true }));
  t.like(pushes(at.atServer())[0], {
    warn_style: false,
    semantic_tokens: "none",
    force_autofix: true,
  });
});

test("each workspace folder gets the settings that the editor has for it", (t) => {
  const at = started(ASKS);
  at.atServer();
  const scopes = ["file:///a", "file:///b", "file:///c"];
  at.server(
    request(1, "workspace/configuration", {
      items: scopes.map((scopeUri) => ({ scopeUri, section: "zls" })),
    }),
  );
  at.editor(
    reply(1, [
      { semantic_tokens: "none", force_autofix: true },
      { semantic_tokens: "partial", force_autofix: true },
      { force_autofix: true },
    ]),
  );
  const [{ result }] = at.atServer();
  t.like(result, {
    length: 3,
    0: { semantic_tokens: "none", warn_style: true },
    1: { semantic_tokens: "partial", warn_style: true },
    2: { semantic_tokens: "full", warn_style: true },
  });
  at.session.deliver(delivery({ warn_style: false }));
  const [pushed] = pushes(at.atServer());
  t.like(pushed, { force_autofix: true, semantic_tokens: "full" });
});

for (const [what, answer] of [
  ["an error", { jsonrpc: "2.0", id: 2, error: { code: -32603, message: "no" } }],
  ["null for the section", reply(2, [null])],
  ["null", reply(2, null)],
] as const) {
  test(`an editor that answers with ${what} keeps its layer`, (t) => {
    const at = started(ASKS);
    at.server(request(1, "workspace/configuration", items("zls")));
    at.editor(reply(1, [{ semantic_tokens: "none" }]));
    at.atServer();
    at.server(request(2, "workspace/configuration", items("zls")));
    at.editor(answer);
    t.like(at.atServer()[0], { id: 2, result: [{ semantic_tokens: "none", warn_style: true }] });
  });
}

test("a push of null keeps the editor's layer", (t) => {
  const at = started();
  const push = (settings: unknown) =>
    at.editor(notice("workspace/didChangeConfiguration", { settings }));
  push({ zls: { semantic_tokens: "none" } });
  at.atServer();
  push({ zls: null });
  t.like(pushes(at.atServer())[0], { semantic_tokens: "none", warn_style: true });
  push({ zls: {} });
  t.like(pushes(at.atServer())[0], { semantic_tokens: "full" });
});

test("a server that asks at the start is not asked to ask again", (t) => {
  const at = started(ASKS);
  t.deepEqual(pushes(at.atServer()), []);
  at.server(request(1, "workspace/configuration", items("zls")));
  at.editor(reply(1, [{}]));
  at.atServer();
  at.passTime();
  t.deepEqual(at.atServer(), []);
  at.session.deliver(delivery({ force_autofix: true }));
  t.is(pushes(at.atServer()).length, 1);
});

test("a server that does not ask gets its settings all the same", (t) => {
  const at = started(ASKS);
  at.session.deliver(delivery({ force_autofix: true }));
  t.deepEqual(pushes(at.atServer()), []);
  at.passTime();
  t.like(pushes(at.atServer()), { length: 1, 0: { force_autofix: true } });
});

test("settings that come after the server has asked are pushed at once", (t) => {
  const at = talk();
  at.editor(request(1, "initialize", { capabilities: ASKS }));
  at.server(reply(1, { capabilities: {} }));
  at.editor(notice("initialized"));
  at.server(request(1, "workspace/configuration", items("zls")));
  at.editor(reply(1, [{ semantic_tokens: "none" }]));
  t.deepEqual(at.atServer().at(-1)?.result, [{ semantic_tokens: "none" }]);
  at.session.deliver(delivery({ warn_style: true }));
  t.like(pushes(at.atServer()), { length: 1, 0: { warn_style: true } });
});

/** Keys as rust-analyzer and the extensions of VS Code list them. */
const dotted = () => ({
  ...serverFrom("rust-analyzer", {
    properties: {
      "check.command": { type: "string", default: "check" },
      "check.extraArgs": { type: "array", default: [] },
      "cargo.features": { type: ["array", "string"], default: [] },
      numThreads: { default: null },
    },
  }),
});

test("keys with dots reach the server as objects in objects", (t) => {
  const at = talk();
  at.session.deliver({
    name: "rust-analyzer",
    version: 1,
    server: dotted(),
    layers: [{ origin: "file", values: { "check.command": "clippy" } }],
  });
  at.editor(request(1, "initialize", { capabilities: ASKS }));
  at.editor(notice("initialized"));
  at.editor(
    notice("workspace/didChangeConfiguration", {
      settings: { "rust-analyzer": { cargo: { features: "all" }, own: { x: 1 } } },
    }),
  );
  const full = {
    check: { command: "clippy", extraArgs: [] },
    cargo: { features: "all" },
    own: { x: 1 },
  };
  t.deepEqual(at.atServer().at(-1)?.params.settings, { "rust-analyzer": full });
  at.server(
    request(
      2,
      "workspace/configuration",
      items("rust-analyzer", "rust-analyzer.check", "rust-analyzer.cargo.features"),
    ),
  );
  at.editor(reply(2, [null, { extraArgs: ["--all"] }, null]));
  const check = { command: "clippy", extraArgs: ["--all"] };
  t.deepEqual(at.atServer().at(-1)?.result, [{ ...full, check }, check, "all"]);
});

test("a section with dots is objects in objects, and its neighbors stay", (t) => {
  const at = talk();
  const server = { ...serverFrom("a", { properties: { x: { type: "number" } } }), section: "my.a" };
  const layers = [{ origin: "file" as const, values: { x: 1 } }];
  at.session.deliver({ name: "a", version: 1, server, layers });
  at.editor(request(1, "initialize", { capabilities: {} }));
  at.editor(notice("initialized"));
  t.deepEqual(at.atServer().at(-1)?.params.settings, { my: { a: { x: 1 } } });
  at.editor(
    notice("workspace/didChangeConfiguration", { settings: { my: { a: { x: 2 }, b: { y: 3 } } } }),
  );
  t.deepEqual(at.atServer().at(-1)?.params.settings, { my: { a: { x: 2 }, b: { y: 3 } } });
});
