/** Highlighters beside the lexer: over every valid file of the project they agree on the class of every character. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import ava, { type ExecutionContext } from "ava";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";
import { run } from "../support/child.js";
import { folder } from "../support/folder.js";
import { needs, program } from "../support/needs.js";
import { differences, type TokenClass, texts } from "./testing/token-classes.js";

const vim = needs(ava, program("nvim", "Neovim"));

async function textMateGrammar() {
  const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm");
  await oniguruma.loadWASM(readFileSync(wasm).buffer as ArrayBuffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      textmate.parseRawGrammar(
        readFileSync("editors/textmate/reeve.tmLanguage.json", "utf8"),
        "reeve.tmLanguage.json",
      ),
  });
  const grammar = await registry.loadGrammar("source.reeve");
  if (!grammar) throw new Error("there is no grammar");
  return grammar;
}

function classOfScopes(scopes: readonly string[]): TokenClass {
  const all = scopes.join(" ");
  if (/comment\./.test(all)) return "comment";
  if (/string\.regexp/.test(all)) return "regex";
  if (/constant\.numeric/.test(all)) return "number";
  return /string\.quoted/.test(all) ? "string" : "other";
}

ava("the TextMate grammar agrees with the lexer on every character", async (t) => {
  const grammar = await textMateGrammar();
  t.true(texts.length > 40, String(texts.length));
  const found = texts.flatMap(([file, text]) => {
    let state = textmate.INITIAL;
    const lines = text.split("\n").map((line) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      return tokens;
    });
    return differences(file, text, (line, column) => {
      const token = lines[line]?.find(
        ({ startIndex, endIndex }) => startIndex <= column && column < endIndex,
      );
      return classOfScopes(token?.scopes ?? []);
    });
  });
  t.deepEqual(found, []);
});

/** The names of syntax groups for each character, as Neovim computes them. */
const vimScript = `
set runtimepath^=$REEVE_VIM
syntax on
let s:all = []
for s:file in split($REEVE_FILES, '\\n')
  execute 'edit ' . s:file
  set syntax=reeve
  for s:line in range(1, line('$'))
    let s:names = []
    for s:column in range(1, len(getline(s:line)))
      call add(s:names, map(synstack(s:line, s:column), 'synIDattr(v:val, "name")'))
    endfor
    call add(s:all, json_encode(s:names))
  endfor
endfor
call writefile(s:all, $REEVE_OUT)
qall!
`;

function classOfGroups(groups: readonly string[]): TokenClass {
  const all = groups.join(" ");
  if (/reeve(Comment|Documentation)/.test(all)) return "comment";
  if (/reeveRegex/.test(all)) return "regex";
  const last = groups.findLast((each) => /^reeve(String|Escape|Number|Interpolation)$/.test(each));
  if (last === "reeveNumber") return "number";
  return last === "reeveString" || last === "reeveEscape" ? "string" : "other";
}

vim("the Vim syntax agrees with the lexer on every character", async (t: ExecutionContext) => {
  t.timeout(120_000);
  const ascii = texts.filter(([, text]) => /^[\x20-\x7e\t\n]*$/.test(text));
  const names = ascii.map((_, index) => `f${index}.reeve`);
  const files = Object.fromEntries(ascii.map(([, text], index) => [names[index] ?? "", text]));
  const cwd = folder(t, { ...files, "run.vim": vimScript });
  const { code } = await run("nvim", ["--headless", "--clean", "-S", "run.vim"], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      XDG_STATE_HOME: cwd,
      REEVE_VIM: join(process.cwd(), "editors/vim"),
      REEVE_FILES: names.join("\n"),
      REEVE_OUT: join(cwd, "out"),
    },
  });
  t.is(code, 0);
  const lines = readFileSync(join(cwd, "out"), "utf8").trimEnd().split("\n");
  const groups = lines.map((line) => JSON.parse(line) as string[][]);
  let first = 0;
  const found = ascii.flatMap(([file, text]) => {
    const count = text.replace(/\n$/, "").split("\n").length;
    const own = groups.slice(first, first + count);
    first += count;
    return differences(file, text, (line, column) => classOfGroups(own[line]?.[column] ?? []));
  });
  t.deepEqual(found, []);
});
