/** Pages, comments and messages are in plain technical English: no actor without a name, no idiom of this project's own. */
import { globSync, readFileSync } from "node:fs";
import test from "ava";
import { isShipped, proseOf, sourceFiles } from "./source-files.js";

const denied = /\b(somebody|nobody|whoever|whom?|came of|is told|mended|let go)\b/i;

/** Texts that keep a denied word, and why. */
const exceptions: ReadonlyArray<readonly [text: RegExp, reason: string]> = [
  [/^nobody$|\bnobody:|`nobody`|"nobody"|user nobody/, "the system's account without rights"],
  [/^In a comment, by somebody who may push:/, "a text of pull requests, which stays"],
  [/whoever works on it dies|-- Somebody is about to claim/, "in published steps of the schema"],
];

const pages = globSync(["*.md", "{docs,plugins,examples,daemon,grammar,cli,bench}/**/*.md"]).filter(
  (path) => !/(^|\/)(node_modules|dist|fixtures)\//.test(path),
);

/** The sentences of a page: no fenced blocks, no code spans, no link targets. */
const sentencesOf = (page: string): readonly string[] =>
  readFileSync(page, "utf8")
    .replace(/^([ \t]*)```[\s\S]*?^\1```/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`|\]\([^)]*\)/g, "")
    .split("\n");

const lineOf = (file: string, offset: number): number =>
  readFileSync(file, "utf8").slice(0, offset).split("\n").length;

const isDenied = (text: string): boolean =>
  denied.test(text) && !exceptions.some(([excepted]) => excepted.test(text));

test("the search sees pages, comments and messages", (t) => {
  t.true(pages.length > 20);
  t.true(isDenied("Somebody asks."));
  t.false(isDenied("nobody"));
  t.true(sourceFiles.flatMap(proseOf).length > 20_000);
});

test("no page has a denied phrase", (t) => {
  const found = pages.flatMap((page) =>
    sentencesOf(page).flatMap((line, index) =>
      isDenied(line) ? [`${page}:${index + 1}: ${line}`] : [],
    ),
  );
  t.deepEqual(found, []);
});

test("no comment and no message of what ships has a denied phrase", (t) => {
  const found = sourceFiles.filter(isShipped).flatMap((file) =>
    proseOf(file)
      .filter(({ text }) => isDenied(text))
      .map(({ text, offset }) => `${file}:${lineOf(file, offset)}: ${text.trim().slice(0, 160)}`),
  );
  t.deepEqual(found, []);
});
