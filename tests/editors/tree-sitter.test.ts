/** The tree-sitter grammar beside the lexer, over every valid file of the project; its queries; what is generated from it. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import test from "ava";
import { Language, type Node, Parser, Query } from "web-tree-sitter";
import { differences, type TokenClass, texts } from "./testing/token-classes.js";

const home = "editors/tree-sitter";

async function grammar(): Promise<{ readonly language: Language; readonly parser: Parser }> {
  await Parser.init();
  const language = await Language.load(join(home, "tree-sitter-reeve.wasm"));
  const parser = new Parser();
  parser.setLanguage(language);
  return { language, parser };
}

const CLASSES: Readonly<Record<string, TokenClass>> = {
  ...{ comment: "comment", documentation: "comment", number: "number", pattern: "regex" },
  ...{ string: "string", block_string: "string" },
  ...{ raw_string: "string", raw_block_string: "string" },
};

/** Fills the class of each character; inner nodes come later. */
function fill(classes: TokenClass[], node: Node): void {
  const own = CLASSES[node.type];
  if (own) classes.fill(own, node.startIndex, node.endIndex);
  for (const child of node.children) if (child) fill(classes, child);
}

test("it parses every valid text without an error, and agrees with the lexer on every character", async (t) => {
  const { parser } = await grammar();
  t.true(texts.length > 40, String(texts.length));
  const found = texts.flatMap(([file, text]) => {
    const root = parser.parse(text)?.rootNode;
    if (!root || root.hasError) return [`${file}: has an error`];
    const classes = new Array<TokenClass>(text.length).fill("other");
    fill(classes, root);
    const lines = text.split("\n");
    const starts = lines.map((_, index) => lines.slice(0, index).join("\n").length + (index && 1));
    return differences(
      file,
      text,
      (line, column) => classes[(starts[line] ?? 0) + column] ?? "other",
    );
  });
  t.deepEqual(found, []);
});

test("an invalid text is a tree with an error, and what surrounds it stays", async (t) => {
  const { parser } = await grammar();
  const root = parser.parse('hook "a" {\n  run = [\n}\nhook "b" { run = ["true"] }\n')?.rootNode;
  t.true(root?.hasError);
  t.regex(root?.text ?? "", /hook "b"/);
});

for (const path of globSync(`${home}/queries/*.scm`).sort()) {
  test(`the query ${basename(path)} fits the grammar and captures something`, async (t) => {
    const { language, parser } = await grammar();
    const query = new Query(language, readFileSync(path, "utf8"));
    const root = parser.parse(
      'let a = 1\nmixin "m" {}\n## Deploys.\nhook "b" {\n  run = ["sh", "-c", """sh\n    echo hi\n    """]\n  when = payload.ref =~ re"^v"\n}\n',
    )?.rootNode;
    t.false(root?.hasError);
    t.true(root !== undefined && query.captures(root).length > 0);
  });
}

test("the highlights give keywords, blocks, strings and numbers their captures", async (t) => {
  const { language, parser } = await grammar();
  const query = new Query(language, readFileSync(`${home}/queries/highlights.scm`, "utf8"));
  const root = parser.parse('let n = 3\nhook "b" { timeout = n }\n')?.rootNode;
  const seen = root ? query.captures(root).map(({ name, node }) => `${node.text}:${name}`) : [];
  for (const expected of ["let:keyword", "n:variable", "3:number", "hook:type", '"b":string'])
    t.true(seen.includes(expected), `${expected} in ${seen.join(" ")}`);
});

test("the generated parser belongs to the grammar", (t) => {
  const digest = createHash("sha256");
  for (const file of ["grammar.js", "src/scanner.c", "src/parser.c"])
    digest.update(readFileSync(join(home, file)));
  t.is(
    readFileSync(join(home, "digest"), "utf8").trim(),
    digest.digest("hex"),
    "run `node scripts/tree-sitter.mjs`",
  );
});
