/** What editors draw: classes of tokens, folds, outlines, links, hints. */
import test from "ava";
import type {
  CodeLens,
  DocumentLink,
  DocumentSymbol,
  FoldingRange,
  InlayHint,
  SelectionRange,
  SemanticTokens,
} from "vscode-languageserver-protocol";
import { TextDocument } from "../language/document.js";
import { editor } from "../testing/editor.js";
import { tokenTypes } from "./semantic-tokens.js";

const text = `# a comment
## Deploys.
hook "deploy" {
  when = payload.ref == "x" && !lower(payload.a)
  run = ["./deploy.sh", "\${let.org}!"]
  timeout = 10m
}
let org = 2 * 5m
import "./shared.reeve" as shared
let text = """
  one
  """
`;
const files = { "main.reeve": text, "shared.reeve": "let a = 1\n", "deploy.sh": "" };

test("every token has the class that the tree gives it", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", text);
  const { data } = await at.ask<SemanticTokens>("textDocument/semanticTokens/full", "main.reeve");
  const document = new TextDocument("/x", text, "utf-16");
  const found: string[] = [];
  let [line, character] = [0, 0];
  for (let index = 0; index < data.length; index += 5) {
    const [lines = 0, characters = 0, length = 0, type = 0] = data.slice(index, index + 4);
    character = lines > 0 ? characters : character + characters;
    line += lines;
    const from = document.offsetAt({ line, character });
    found.push(`${tokenTypes[type]} ${text.slice(from, from + length)}`);
  }
  for (const expected of [
    "comment # a comment",
    "class hook",
    'string "deploy"',
    "property when",
    "variable payload",
    "property ref",
    "function lower",
    "operator &&",
    "number 10m",
    "keyword let",
    "variable org",
    "keyword import",
    "namespace shared",
  ])
    t.true(found.includes(expected), `${expected} in ${found.join(", ")}`);
  t.is(found.filter((each) => each === "variable org").length, 2);
});

test("bodies, comments and block strings fold", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", text);
  const folds = await at.ask<FoldingRange[]>("textDocument/foldingRange", "main.reeve");
  const lines = folds.map(({ startLine, endLine }) => [startLine, endLine]);
  t.deepEqual(
    lines.sort(([a = 0], [b = 0]) => a - b),
    [
      [0, 1],
      [2, 5],
      [9, 10],
    ],
  );
});

test("the outline nests attributes in blocks", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", text);
  const symbols = await at.ask<DocumentSymbol[]>("textDocument/documentSymbol", "main.reeve");
  t.deepEqual(
    symbols.map(({ name, children = [] }) => [name, children.map((each) => each.name)]),
    [
      ['hook "deploy"', ["when", "run", "timeout"]],
      ["org", []],
      ['import "./shared.reeve"', []],
      ["text", []],
    ],
  );
});

test("a selection grows from the name to the file", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", text);
  const document = new TextDocument("/x", text, "utf-16");
  const position = document.positionAt(text.indexOf("ref =="));
  const [range] = await at.ask<SelectionRange[]>("textDocument/selectionRange", "main.reeve", {
    positions: [position],
  });
  const grown: string[] = [];
  for (let each = range; each; each = each.parent as SelectionRange) {
    const { start, end } = each.range;
    grown.push(text.slice(document.offsetAt(start), document.offsetAt(end)));
  }
  t.deepEqual(grown.slice(0, 4), [
    "ref",
    "payload.ref",
    'payload.ref == "x"',
    'payload.ref == "x" && !lower(payload.a)',
  ]);
  t.is(grown.at(-1), text);
});

test("imports and programs that exist are links", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", text);
  const links = await at.ask<DocumentLink[]>("textDocument/documentLink", "main.reeve");
  t.deepEqual(links.map(({ target }) => target).sort(), [
    at.uri("deploy.sh"),
    at.uri("shared.reeve"),
  ]);
});

test("hints show values and defaults, where the editor wants them", async (t) => {
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const valid = text.replace("!lower(payload.a)", "defined(payload.a)");
  const without = await editor(t, files);
  await without.open("main.reeve", valid);
  t.deepEqual(await without.ask("textDocument/inlayHint", "main.reeve", { range }), []);
  const at = await editor(t, files, { initializationOptions: { inlayHints: true } });
  await at.open("main.reeve", `${valid}hook_server "main" { listen = "127.0.0.1:9" }\n`);
  const hints = await at.ask<InlayHint[]>("textDocument/inlayHint", "main.reeve", { range });
  const labels = hints.map(({ label }) => label);
  t.true(labels.includes("= 10m"), labels.join(", "));
  t.true(labels.some((each) => /^\d+ defaults$/.test(String(each))));
});

test("without a daemon there are no lenses and no errors", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", text);
  t.deepEqual(await at.ask<CodeLens[]>("textDocument/codeLens", "main.reeve"), []);
});

test("positions count bytes where the editor wants that", async (t) => {
  const at = await editor(
    t,
    { "main.reeve": "" },
    { capabilities: { general: { positionEncodings: ["utf-8"] } } },
  );
  t.is(at.initialized.capabilities.positionEncoding, "utf-8");
  await at.open("main.reeve", 'let a = "äö😀" + nope\n');
  const [found] = await at.diagnosticsWhen("main.reeve", (all) => all.length > 0);
  t.deepEqual(found?.range.start, { line: 0, character: 21 });
});

test("an editor that asks for diagnostics is not sent them", async (t) => {
  const at = await editor(
    t,
    { "main.reeve": "" },
    { capabilities: { textDocument: { diagnostic: {} } } },
  );
  await at.open("main.reeve", "let a = nope\n");
  const answer = await at.ask<{ items: readonly { code: string }[] }>(
    "textDocument/diagnostic",
    "main.reeve",
  );
  t.is(answer.items.length, 1);
});

test("the code of a declared plugin does not run unless the editor trusts it", async (t) => {
  const plugin = 'plugin "acme" { source = "./acme.js" }\nacme.chat "ops" { room = "#ops" }\n';
  const broken = { "main.reeve": plugin, "acme.js": 'throw new Error("it ran")\n' };
  const careful = await editor(t, broken);
  await careful.open("main.reeve", plugin);
  const found = await careful.diagnosticsWhen("main.reeve", (all) => all.length > 0);
  t.deepEqual(
    found.map(({ code, severity }) => [code, severity]),
    [["untrusted_plugin", 3]],
  );
  const trusting = await editor(t, broken, { initializationOptions: { trustPlugins: true } });
  await trusting.open("main.reeve", plugin);
  const failed = await trusting.diagnosticsWhen("main.reeve", (all) => all.length > 0);
  t.regex(String(failed[0]?.message), /it ran/);
});
