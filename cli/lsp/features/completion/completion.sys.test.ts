/** Completion: each row is a text with the cursor at `|`, and what must and must not be offered there. */
import test from "ava";
import type { CompletionItem, TextEdit } from "vscode-languageserver-protocol";
import { applied, editor, marked } from "../../testing/editor.js";

const SNIPPETS = {
  textDocument: { completion: { completionItem: { snippetSupport: true } } },
};

const SERVER = 'hook_server "main" { listen = "127.0.0.1:9000" }\n';

/** The labels that completion must offer, and those that it must not. */
const completions: ReadonlyArray<{
  readonly title: string;
  readonly text: string;
  readonly offers: readonly string[];
  readonly not?: readonly string[];
}> = [
  {
    title: "top level",
    text: "|",
    offers: ["hook", "sandbox", "let", "import", "test", "daemon"],
    not: ["run", "timeout"],
  },
  { title: "a word at top level", text: "ho|\n", offers: ["hook", "hook_server"] },
  {
    title: "attributes of a block",
    text: 'hook "a" {\n  |\n}\n',
    offers: ["run", "timeout", "when", "verify", "use"],
    not: ["listen", "import"],
  },
  {
    title: "attributes that are given are left out",
    text: 'hook "a" {\n  run = ["a"]\n  |\n}\n',
    offers: ["timeout"],
    not: ["run"],
  },
  {
    title: "a block without its closing brace",
    text: 'hook "a" {\n  run = ["a"]\n  ti|',
    offers: ["timeout"],
  },
  {
    title: "a nested block",
    text: 'hook "a" {\n  response {\n    |\n  }\n}\n',
    offers: ["status", "body"],
    not: ["run"],
  },
  {
    title: "inside of a loop",
    text: 'for x in ["a"] {\n  hook "a" {\n    |\n  }\n}\n',
    offers: ["run"],
  },
  {
    title: "the daemon's settings",
    text: "daemon {\n  |\n}\n",
    offers: ["log_level", "store", "runs"],
  },
  {
    title: "labels that are a choice",
    text: 'hook "a" {\n  verify "|"\n}\n',
    offers: ["github", "hmac"],
  },
  { title: "a label without quotes", text: 'hook "a" {\n  verify |\n}\n', offers: ['"github"'] },
  {
    title: "values of a choice",
    text: "daemon {\n  log_level = |\n}\n",
    offers: ['"debug"', '"info"'],
  },
  {
    title: "values of a choice in quotes",
    text: 'daemon {\n  log_level = "|"\n}\n',
    offers: ["debug", "info"],
  },
  {
    title: "run-time names",
    text: 'hook "a" {\n  when = |\n}\n',
    offers: ["payload", "header", "query", "lower"],
    not: ["run"],
  },
  {
    title: "run-time names in a list",
    text: 'hook "a" {\n  run = ["a", |]\n}\n',
    offers: ["payload"],
  },
  {
    title: "run-time names in an interpolation",
    text: 'hook "a" {\n  run = ["${|}"]\n}\n',
    offers: ["payload"],
  },
  {
    title: "no run-time names where they are not known",
    text: 'hook "a" {\n  timeout = |\n}\n',
    offers: ["env"],
    not: ["payload"],
  },
  { title: "lets", text: "let one = 1\nlet two = let.|\n", offers: ["one"] },
  {
    title: "lets of a body only inside of it",
    text: 'hook "a" {\n  let inner = 1\n}\nlet b = let.|\n',
    offers: ["b"],
    not: ["inner"],
  },
  {
    title: "loop variables",
    text: 'for name in ["a"] {\n  hook "${|}" {\n  }\n}\n',
    offers: ["name"],
  },
  {
    title: "variables of a comprehension",
    text: 'let a = { for key, value in { b = 1 }: "${key}" => | }\n',
    offers: ["key", "value"],
  },
  {
    title: "mixins",
    text: 'mixin "signed" {\n}\nhook "a" {\n  use mixin.|\n}\n',
    offers: ["signed"],
  },
  {
    title: "the parameters of a mixin, with names that are not written yet",
    text: 'mixin "signed" {\n  param header: string\n  param limit = 1\n}\nmixin "b" {\n  param other\n}\nhook "a" {\n  use mixin.signed(|)\n}\n',
    offers: ["header = ", "limit = "],
    not: ["other = ", "mixin"],
  },
  {
    title: "the value of an argument",
    text: 'let org = 1\nmixin "signed" {\n  param header\n}\nhook "a" {\n  use mixin.signed(header = |)\n}\n',
    offers: ["let", "lower"],
    not: ["header = "],
  },
  {
    title: "the type of a parameter",
    text: 'mixin "signed" {\n  param header: |\n}\n',
    offers: ["string", "duration"],
    not: ["let", "run"],
  },
  {
    title: "a parameter is a `let`",
    text: 'mixin "signed" {\n  param header\n  timeout = let.|\n}\n',
    offers: ["header"],
  },
  {
    title: "the parameters of a file",
    text: 'import "./main.reeve"(|)\nparam zone = "eu"\nlet other = 1\n',
    offers: ["zone = "],
    not: ["other = "],
  },
  {
    title: "attributes in a mixin",
    text: 'mixin "signed" {\n  |\n}\nhook "a" {\n  use mixin.signed\n}\n',
    offers: ["run", "verify"],
  },
  {
    title: "references to blocks",
    text: 'sandbox "build" {\n}\nhook "a" {\n  run_in = |\n}\n',
    offers: ["sandbox.build"],
  },
  {
    title: "blocks behind a dot",
    text: 'sandbox "build" {\n}\nhook "a" {\n  run_in = sandbox.|\n}\n',
    offers: ["build"],
  },
  {
    title: "blocks in an index",
    text: 'sandbox "a-b" {\n}\nhook "a" {\n  run_in = sandbox["|"]\n}\n',
    offers: ["a-b"],
  },
  {
    title: "keys that are read elsewhere",
    text: 'hook "a" {\n  when = payload.ref == "x"\n  run = ["a", payload.|]\n}\n',
    offers: ["ref"],
  },
  {
    title: "secrets",
    text: 'hook "a" {\n  verify "github" {\n    secret = |\n  }\n}\n',
    offers: ["secret"],
  },
  { title: "where a secret comes from", text: 'let a = secret("|")\n', offers: ["env:", "file:"] },
  { title: "named arguments", text: 'let a = env("A", |)\n', offers: ["default = "] },
  { title: "files of an import", text: 'import "./|"\n', offers: ["./teams/", "./shared.reeve"] },
  { title: "files below a directory", text: 'import "./teams/|"\n', offers: ["./teams/web.reeve"] },
  { title: "files of file()", text: 'let a = file("./|")\n', offers: ["./notes.txt"] },
  {
    title: "what tests can ask",
    text: 'test "a" {\n  expect = |\n}\n',
    offers: ["matches", "allowed"],
  },
  { title: "nothing in a comment", text: "# ho|\n", offers: [], not: ["hook"] },
];

test("completion offers what fits", async (t) => {
  const at = await editor(t, {
    "main.reeve": SERVER,
    "shared.reeve": "",
    "teams/web.reeve": "",
    "notes.txt": "",
  });
  await at.open("main.reeve", "");
  for (const { title, text: source, offers, not = [] } of completions) {
    const { text, position } = marked(source);
    await at.change("main.reeve", text);
    const items = await at.ask<CompletionItem[]>("textDocument/completion", "main.reeve", {
      position,
    });
    const labels = items.map(({ label }) => label);
    t.deepEqual(
      offers.filter((each) => !labels.includes(each)),
      [],
      `${title}: ${labels.slice(0, 12).join(", ")}`,
    );
    t.deepEqual(
      not.filter((each) => labels.includes(each)),
      [],
      title,
    );
  }
});

test("a completion replaces the word, and fills in what is required", async (t) => {
  const at = await editor(t, { "main.reeve": "" }, { capabilities: SNIPPETS });
  const { text, position } = marked("ho|\n");
  await at.open("main.reeve", text);
  const items = await at.ask<CompletionItem[]>("textDocument/completion", "main.reeve", {
    position,
  });
  const hook = items.find(({ label }) => label === "hook");
  t.is(applied(text, [hook?.textEdit as TextEdit]), 'hook "${1:name}" {\n\t$0\n}\n');
  t.regex(JSON.stringify(hook?.documentation), /hook/);
});
