/** What an editor notices of a server that is started again: nothing that it has to do. */
import test from "ava";
import { delivery, notice, reply, request, started, talk } from "../testing/talk.js";

const again = (at: ReturnType<typeof talk>) => {
  at.session.serverGone();
  at.session.serverBack();
};

test("a server that dies during initialize answers it after its restart", (t) => {
  const at = talk();
  at.session.deliver(delivery({ warn_style: true }));
  at.editor(request(1, "initialize", { capabilities: {}, rootUri: "file:///a" }));
  at.atServer();
  again(at);
  t.deepEqual(at.atEditor(), []);
  t.like(at.atServer(), { length: 1, 0: { id: 1, method: "initialize" } });
  at.server(reply(1, { capabilities: { hoverProvider: true } }));
  t.deepEqual(at.atEditor(), [reply(1, { capabilities: { hoverProvider: true } })]);
  at.editor(notice("initialized"));
  t.deepEqual(
    at.atServer().map(({ method }) => method),
    ["initialized", "workspace/didChangeConfiguration"],
  );
});

test("a server that dies twice in a row is still started with everything", (t) => {
  const at = started();
  at.atServer();
  again(at);
  again(at);
  const [, second] = at.atServer();
  at.server(reply(second.id, { capabilities: {} }));
  t.deepEqual(
    at.atServer().map(({ method }) => method),
    ["initialized", "workspace/didChangeConfiguration"],
  );
});

test("a restarted server starts with the workspace folders of now", (t) => {
  const at = talk();
  const folder = (name: string) => ({ uri: `file:///${name}`, name });
  at.editor(
    request(1, "initialize", { capabilities: {}, workspaceFolders: [folder("a"), folder("b")] }),
  );
  at.server(reply(1, {}));
  at.editor(notice("initialized"));
  for (const event of [
    { added: [folder("c")], removed: [folder("a")] },
    { added: [folder("d")], removed: [folder("c")] },
  ]) {
    at.editor(notice("workspace/didChangeWorkspaceFolders", { event }));
  }
  at.atServer();
  again(at);
  const [initialize] = at.atServer();
  t.deepEqual(initialize.params.workspaceFolders, [folder("b"), folder("d")]);
});

test("what the dead server had registered is taken back, so that the next one can register it", (t) => {
  const at = started();
  const registered = (...ids: readonly string[]) => ({
    registrations: ids.map((id) => ({ id, method: `workspace/${id}` })),
  });
  at.server(request(1, "client/registerCapability", registered("x", "y")));
  at.editor(reply(1, null));
  at.server(
    request(2, "client/unregisterCapability", {
      unregisterations: [{ id: "x", method: "workspace/x" }],
    }),
  );
  at.editor(reply(2, null));
  at.atEditor();
  at.atServer();
  at.session.serverGone();
  const [taken, ...more] = at.atEditor();
  t.deepEqual(more, []);
  t.like(taken, {
    method: "client/unregisterCapability",
    params: { unregisterations: [{ id: "y", method: "workspace/y" }] },
  });
  at.session.serverBack();
  const [initialize] = at.atServer();
  at.editor(reply(taken.id, null));
  at.server(reply(initialize.id, {}));
  t.false(at.atServer().some(({ id }) => id === taken.id));
});

test("an answer to a server that is gone does not reach the next one", (t) => {
  const at = started({ workspace: { configuration: true } });
  at.server(request(1, "window/showMessageRequest"));
  at.server(request(2, "workspace/configuration", { items: [{ section: "zls" }] }));
  at.atServer();
  again(at);
  const [initialize] = at.atServer();
  at.server(reply(initialize.id, {}));
  at.atServer();
  at.server(request(1, "window/showMessageRequest"));
  at.editor(reply(1, { title: "for the first server" }));
  at.editor(reply(2, [{ semantic_tokens: "none" }]));
  t.deepEqual(at.atServer(), []);
  at.editor(reply(1, { title: "for the second" }));
  t.deepEqual(at.atServer(), [reply(1, { title: "for the second" })]);
});

test("what an editor sends while no server runs reaches the next one", (t) => {
  const at = started();
  at.atServer();
  at.session.serverGone();
  at.atEditor();
  at.editor(request(5, "textDocument/hover"));
  t.deepEqual(at.atServer(), []);
  at.session.serverBack();
  const [initialize] = at.atServer();
  at.server(reply(initialize.id, {}));
  t.is(at.atServer().at(-1)?.id, 5);
});
