/** `docs/language.md` tells the truth: its examples parse, its functions are the ones there are. */
import { readFileSync, writeFileSync } from "node:fs";
import test from "ava";
import { parse } from "../../grammar/parse.js";
import { readJsonSource } from "./json/read.js";
import { limits } from "./limits.js";
import { functionReference } from "./schema/function-reference.js";

const PAGE = "docs/language.md";
const page = readFileSync(PAGE, "utf8");
const fenced = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text,
  );

test("every example on the page can be read", (t) => {
  t.true(fenced("reeve").length > 10);
  for (const text of fenced("reeve"))
    t.deepEqual(parse({ path: PAGE, text }).diagnostics, [], text);
  t.is(fenced("json").length, 1);
  for (const text of fenced("json"))
    t.deepEqual(readJsonSource({ path: "x.json", text }).diagnostics, []);
});

test("the functions on the page are the ones there are (UPDATE_CASES=1 writes them)", (t) => {
  const section = /(?<=<!-- functions -->\n)[\s\S]*(?=<!-- \/functions -->)/;
  const written = `\n${functionReference()}\n`;
  if (process.env.UPDATE_CASES)
    writeFileSync(
      PAGE,
      page.replace(section, () => written),
    );
  else t.is(section.exec(page)?.[0], written);
  t.pass();
});

test("the limits on the page are the ones there are", (t) => {
  const { text: _text, string: _string, nodes: _nodes, nodeDepth: _nodeDepth, ...counted } = limits;
  const table = page.slice(page.indexOf("## Limits"), page.indexOf("Beyond a limit"));
  const numbers = Object.values(counted);
  for (const number of numbers) t.true(table.includes(number.toLocaleString("en")), String(number));
});
