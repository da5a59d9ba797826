/** The language server as an editor sees it: each row is a text with the cursor at `|` and what the server says there. */
import test from "ava";
import type {
  CodeAction,
  Hover,
  Location,
  LocationLink,
  SignatureHelp,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { TextDocument } from "./language/document.js";
import { applied, editor, marked } from "./testing/editor.js";

const SERVER = 'hook_server "main" { listen = "127.0.0.1:9000" }\n';

const hovers: ReadonlyArray<readonly [title: string, text: string, says: RegExp]> = [
  [
    "an attribute",
    'hook "a" {\n  time|out = let.long\n}\nlet long = 2 * 5m\n',
    /a duration.*default/s,
  ],
  ["a block", 'ho|ok "a" {\n  run = ["a"]\n}\n', /\*\*hook\*\*/],
  ["a function", 'let a = low|er("A")\n', /lower\(text\).*is `"main"`/s],
  ["a run-time name", 'hook "a" {\n  when = pay|load.x == 1\n  run = ["a"]\n}\n', /payload/],
  ["a let", "let a = 2 * 5m\nlet b = let.a|\n", /let a = 2 \* 5m/],
];

for (const [title, source, says] of hovers)
  test(`hover: ${title}`, async (t) => {
    const at = await editor(t, { "main.reeve": SERVER });
    const { text, position } = marked(SERVER + source);
    await at.open("main.reeve", text);
    const hover = await at.ask<Hover>("textDocument/hover", "main.reeve", { position });
    t.regex(JSON.stringify(hover.contents).replaceAll("\\n", "\n").replaceAll('\\"', '"'), says);
  });

test("hover shows values and their origin, and never a secret", async (t) => {
  const source = `${SERVER}let long = 2 * 5m
let token = secret("env:TOKEN")
hook "a" {
  run = ["a"]
  timeout = let.long
  env = { TOKEN = let.token }
}
`;
  const at = await editor(t, { "main.reeve": source });
  await at.open("main.reeve", source);
  const hoverOn = async (word: string) => {
    const position = new TextDocument("/x", source, "utf-16").positionAt(source.indexOf(word) + 1);
    const hover = await at.ask<Hover>("textDocument/hover", "main.reeve", { position });
    return (hover.contents as { value: string }).value;
  };
  t.regex(await hoverOn("timeout"), /Value: `10m`\n- `let long = 2 \* 5m`/);
  t.regex(await hoverOn("env = {"), /\(secret\)/);
  t.notRegex(await hoverOn("token = "), /env:TOKEN"`.*value/);
});

const files = {
  "main.reeve": `import "./shared.reeve" as shared
let org = "example"
sandbox "build" { allow = [] }
hook "deploy" {
  use shared.mixin.signed
  run = ["a", let.org, shared.let.region]
  run_in = sandbox.build
}
for name in ["x"] {
  hook "loop-\${name}" { run = [name, let.org] }
}
hook "second" { run = ["b"]; run_in = sandbox["build"] }
`,
  "shared.reeve": `let region = "eu"
mixin "signed" {
  timeout = 1m
}
`,
};

/** The place of the first occurrence of a text, some characters in. */
const positionOf = (file: keyof typeof files, text: string, skip = 0) =>
  new TextDocument("/x", files[file], "utf-16").positionAt(files[file].indexOf(text) + skip);

test("definitions are found in other files, through imports and references", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", files["main.reeve"]);
  const definition = async (text: string, skip = 0) => {
    const position = positionOf("main.reeve", text, skip);
    const links = await at.ask<LocationLink[]>("textDocument/definition", "main.reeve", {
      position,
    });
    return links.map(({ targetUri, targetSelectionRange: { start } }) => [
      targetUri.slice(at.uri("").length + 1),
      start.line,
      start.character,
    ]);
  };
  t.deepEqual(await definition("let.org", 5), [["main.reeve", 1, 4]]);
  t.deepEqual(await definition("shared.let.region", 12), [["shared.reeve", 0, 4]]);
  t.deepEqual(await definition("shared.mixin.signed", 14), [["shared.reeve", 1, 6]]);
  t.deepEqual(await definition("sandbox.build", 9), [["main.reeve", 2, 8]]);
  t.deepEqual(await definition("[name", 2), [["main.reeve", 8, 4]]);
  t.deepEqual(await definition('"./shared.reeve"', 4), [["shared.reeve", 0, 0]]);
});

test("an argument leads to its parameter, and a rename changes both", async (t) => {
  const main = `import "./shared.reeve"(zone = "eu") as shared
hook "deploy" {
  use shared.mixin.limited(pause = 1m)
  use mixin.own(pause = 2)
}
mixin "own" {
  param pause = 1
  concurrency = let.pause
}
`;
  const shared = `param zone: string
mixin "limited" {
  ## How long it may take.
  param pause: duration
  timeout = let.pause
}
let again = let.zone
`;
  const at = await editor(t, { "main.reeve": main, "shared.reeve": shared });
  await at.open("main.reeve", main);
  const document = new TextDocument("/x", main, "utf-16");
  const on = (text: string) => ({ position: document.positionAt(main.indexOf(text) + 1) });
  const definition = async (text: string) => {
    const [link] = await at.ask<LocationLink[]>("textDocument/definition", "main.reeve", on(text));
    const { line, character } = link?.targetSelectionRange.start ?? {};
    return [link?.targetUri.slice(at.uri("").length + 1), line, character];
  };
  t.deepEqual(await definition("zone ="), ["shared.reeve", 0, 6]);
  t.deepEqual(await definition("pause = 1m"), ["shared.reeve", 3, 8]);
  t.deepEqual(await definition("pause = 2"), ["main.reeve", 6, 8]);
  const hover = await at.ask<Hover>("textDocument/hover", "main.reeve", on("pause = 1m"));
  t.regex(JSON.stringify(hover), /param pause: duration.*How long it may take/);
  const renamed = async (text: string) => {
    const edit = await at.ask<WorkspaceEdit>("textDocument/rename", "main.reeve", {
      ...on(text),
      newName: "renamed",
    });
    return [
      applied(main, edit.changes?.[at.uri("main.reeve")] ?? []),
      applied(shared, edit.changes?.[at.uri("shared.reeve")] ?? []),
    ];
  };
  t.deepEqual(await renamed("zone ="), [
    main.replace("zone =", "renamed ="),
    shared.replace("param zone", "param renamed").replace("let.zone", "let.renamed"),
  ]);
  t.deepEqual(await renamed("pause = 1m"), [
    main.replace("pause = 1m", "renamed = 1m"),
    shared.replace("param pause", "param renamed").replace("let.pause", "let.renamed"),
  ]);
  t.deepEqual(await renamed("pause = 2"), [
    main
      .replace("pause = 2", "renamed = 2")
      .replace("param pause", "param renamed")
      .replace("let.pause", "let.renamed"),
    shared,
  ]);
});

test("references are found in all files", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", files["main.reeve"]);
  const references = async (text: string, skip: number) => {
    const position = positionOf("main.reeve", text, skip);
    const found = await at.ask<Location[]>("textDocument/references", "main.reeve", {
      position,
      context: { includeDeclaration: true },
    });
    return found.map(({ uri, range }) => `${uri.slice(at.uri("").length + 1)}:${range.start.line}`);
  };
  t.deepEqual(await references("let org", 4), ["main.reeve:1", "main.reeve:5", "main.reeve:9"]);
  t.deepEqual(await references('sandbox "build"', 9), [
    "main.reeve:2",
    "main.reeve:6",
    "main.reeve:11",
  ]);
  t.deepEqual((await references("shared.mixin.signed", 14)).sort(), [
    "main.reeve:4",
    "shared.reeve:1",
  ]);
});

test("a rename changes every use, over files, and writes references as they must be written", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", files["main.reeve"]);
  const renamed = async (text: string, skip: number, newName: string) => {
    const position = positionOf("main.reeve", text, skip);
    const edit = await at.ask<WorkspaceEdit>("textDocument/rename", "main.reeve", {
      position,
      newName,
    });
    return (name: keyof typeof files) => applied(files[name], edit.changes?.[at.uri(name)] ?? []);
  };
  const region = await renamed("shared.let.region", 12, "area");
  t.regex(region("main.reeve"), /shared\.let\.area/);
  t.regex(region("shared.reeve"), /let area = "eu"/);
  const dashed = await renamed('sandbox "build"', 9, "build-all");
  t.regex(dashed("main.reeve"), /sandbox "build-all"/);
  t.regex(dashed("main.reeve"), /run_in = sandbox\["build-all"\]\n/);
  const plain = await renamed('sandbox "build"', 9, "all");
  t.is(plain("main.reeve").match(/run_in = sandbox\.all/g)?.length, 2);
  await t.throwsAsync(renamed("let.org", 5, "a b"), { message: /is not a name/ });
  await t.throwsAsync(renamed('hook "deploy"', 7, "second"), { message: /already/ });
});

test("a computed label cannot be renamed", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", files["main.reeve"]);
  const position = positionOf("main.reeve", '"loop-', 2);
  t.is(await at.ask("textDocument/prepareRename", "main.reeve", { position }), null);
});

test("the signature of a function follows the argument", async (t) => {
  const at = await editor(t, { "main.reeve": "" });
  await at.open("main.reeve", "");
  const signature = async (source: string) => {
    const { text, position } = marked(source);
    await at.change("main.reeve", text);
    const help = await at.ask<SignatureHelp | null>("textDocument/signatureHelp", "main.reeve", {
      position,
    });
    return help && [help.signatures[0]?.label, help.activeParameter];
  };
  t.deepEqual(await signature('let a = replace("a", |)'), ["replace(text, old, new)", 1]);
  t.deepEqual(await signature('let a = env("A", default = |)'), ["env(name, default?)", 1]);
  t.deepEqual(await signature("let a = concat([1], [2], |)"), ["concat(lists…)", 0]);
  t.is(await signature("let a = |"), null);
});

test("diagnostics follow unsaved text in every file, with related places", async (t) => {
  const at = await editor(t, files);
  await at.open("main.reeve", files["main.reeve"]);
  await at.open("shared.reeve", 'let region = "eu"\nmixin "signed" {\n  timeot = 1m\n}\n');
  const [found] = await at.diagnosticsWhen("shared.reeve", (all) => all.length > 0);
  t.regex(String(found?.message ?? ""), /timeot.*\n?.*did you mean `timeout`/s);
  t.deepEqual(found?.range, { start: { line: 2, character: 2 }, end: { line: 2, character: 8 } });
  const actions = await at.ask<CodeAction[]>("textDocument/codeAction", "shared.reeve", {
    range: found?.range,
    context: { diagnostics: [] },
  });
  t.deepEqual(
    actions.map(({ title }) => title),
    ["Rename to `timeout`", "Apply all fixes"],
  );
  await at.change("shared.reeve", files["shared.reeve"]);
  t.deepEqual(await at.diagnosticsWhen("shared.reeve", (all) => all.length === 0), []);
});

test("a file that no root imports is checked alone", async (t) => {
  const at = await editor(t, { "main.reeve": "", "stray.reeve": "" });
  await at.open("stray.reeve", "let a = \n");
  await at.ask("textDocument/documentSymbol", "stray.reeve");
  t.is((await at.diagnosticsWhen("stray.reeve", (all) => all.length > 0)).length, 1);
});

test("formatting touches only what changes", async (t) => {
  const at = await editor(t, { "main.reeve": "" });
  const text = "let a   = 1\n\n\n\nlet b = 2\n";
  await at.open("main.reeve", text);
  const edits = await at.ask<TextEdit[]>("textDocument/formatting", "main.reeve", { options: {} });
  t.is(applied(text, edits), "let a = 1\n\nlet b = 2\n");
  await at.change("main.reeve", "let a = (\n");
  t.deepEqual(await at.ask("textDocument/formatting", "main.reeve", { options: {} }), []);
});

test("the real program serves an editor and ends with it", async (t) => {
  const at = await editor(t, { "main.reeve": "" }, { child: true });
  t.is(at.initialized.serverInfo?.name, "reeve");
  await at.open("main.reeve", "hook {\n}\n");
  t.true((await at.diagnosticsWhen("main.reeve", (all) => all.length > 0)).length > 0);
  t.is(await at.end(), 0);
});
