/** Random edits and questions: every one has an answer, and at the end the diagnostics are those of `reeve check`. */
import { join } from "node:path";
import test from "ava";
import fc from "fast-check";
import { createCatalog } from "../../daemon/catalog/catalog.js";
import { load } from "../../daemon/config/load.js";
import { runs } from "../../tests/support/runs.js";
import { folder } from "../testing/reeve.js";
import { messageOf } from "./features/diagnostics.js";
import { type PositionEncoding, TextDocument } from "./language/document.js";
import { Project } from "./project.js";
import { documentRequests, type EditorAbilities } from "./requests.js";

const RUNS = Number(process.env.REEVE_EDITS ?? runs(20, 60));

const start = `import "./shared.reeve" as shared
let org = "example"
hook_server "main" { listen = "127.0.0.1:9000" }
hook "deploy" {
  use shared.mixin.signed
  when = payload.ref == "refs/heads/main" && header["X-Event"] == "push"
  run = ["a", let.org, "\${payload.after}"]
}
for name, size in { a = 1GiB } {
  sandbox "box-\${name}" { memory = size }
}
test "a" { expect = matches(hook.deploy, { ref = "refs/heads/main" }) }
`;
const shared = 'mixin "signed" {\n  timeout = 1m\n}\n';

const pieces = [
  ..."{}[]()\"'=.,:;#\n\\$/ ",
  "${",
  '"""',
  'hook "x" {\n',
  "let a = ",
  "let.",
  "payload.",
  "use mixin.",
  "for x in ",
  "run = [",
  'verify "hmac" {',
  'secret("',
  "sandbox.",
  "ä😀",
];
const edit = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 12 }),
  text: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 })),
});

for (const encoding of ["utf-16", "utf-8"] satisfies PositionEncoding[])
  test(`random edits with ${encoding} positions`, async (t) => {
    t.timeout(300_000);
    const directory = folder(t, { "main.reeve": start, "shared.reeve": shared });
    const root = join(directory, "main.reeve");
    const catalog = createCatalog();
    t.teardown(() => catalog.close());
    const open = new Map([[root, new TextDocument(root, start, encoding)]]);
    const errors: unknown[] = [];
    const project = new Project(root, {
      catalog,
      encoding,
      trusted: false,
      open,
      onLoaded: () => undefined,
      onError: (thrown) => errors.push(thrown),
    });
    t.teardown(() => project.close());
    await project.refresh();
    const abilities = { encoding, snippets: true, inlayHints: true } as EditorAbilities;
    const methods = Object.keys(documentRequests).filter((each) => !/codeLens/.test(each));
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let document = new TextDocument(root, start, encoding);
        for (const { at, removed, text } of edits) {
          const from = at % (document.text.length + 1);
          const range = document.rangeOf({ start: from, end: from + removed });
          const before = document.text;
          document = document.changed([{ range, text }]);
          if (encoding === "utf-16")
            t.is(document.text, before.slice(0, from) + text + before.slice(from + removed));
          open.set(root, document);
          const position = document.positionAt(from + text.length);
          const whole = document.rangeOf({ start: 0, end: document.text.length });
          const params = {
            textDocument: { uri: "" },
            position,
            positions: [position],
            range: whole,
            newName: "other",
            context: { includeDeclaration: true, diagnostics: [] },
          };
          for (const method of methods)
            await Promise.resolve(
              method === "textDocument/rename"
                ? undefined
                : documentRequests[method]?.({ project, document, abilities }, params),
            );
        }
        await project.refresh();
        const overlay = new Map([[root, document.text]]);
        const fresh = await load(root, { catalog, overlay });
        t.deepEqual(
          (project.loaded?.diagnostics ?? []).map(messageOf),
          fresh.diagnostics.map(messageOf),
        );
      }),
      { numRuns: RUNS },
    );
    t.deepEqual(errors, []);
  });
