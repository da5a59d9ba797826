/** Highlighters beside the lexer: over every valid file of the project they agree on the class of every character. */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import ava, { type ExecutionContext } from "ava";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";
import { folder } from "../../cli/testing/reeve.js";
import { parse, tokenize } from "../../grammar/index.js";
import { needs, program } from "../needs.js";

const vim = needs(ava, program("nvim", "Neovim"));

type TokenClass = "comment" | "string" | "regex" | "number" | "other";

/** Valid texts: examples, and the parts of case files that parse. */
const texts: ReadonlyArray<readonly [file: string, text: string]> = globSync([
  "examples/**/*.reeve",
  "grammar/cases/*.reeve",
  "daemon/config/cases/*.reeve",
  "cli/starter/*.reeve",
])
  .sort()
  .flatMap((file) => {
    const [text = ""] = readFileSync(file, "utf8").split(/^--------$/m);
    const isValid = parse({ path: file, text }).diagnostics.length === 0;
    return isValid && !/\r/.test(text) ? [[file, text] as const] : [];
  });

/** The class of each character; `undefined` in interpolations, which the lexer leaves to the parser. */
function classesOf(text: string): ReadonlyArray<TokenClass | undefined> {
  const classes: Array<TokenClass | undefined> = new Array(text.length).fill("other");
  const known: Readonly<Record<string, TokenClass>> = {
    comment: "comment",
    doc: "comment",
    string: "string",
    regex: "regex",
    number: "number",
  };
  for (const { kind, start, end, interpolations = [] } of tokenize({ path: "x", text })) {
    classes.fill(known[kind] ?? "other", start, end);
    for (const inside of interpolations) classes.fill(undefined, inside.start, inside.end);
  }
  return classes;
}

/** The places where a highlighter differs, as people read them. */
function differences(
  file: string,
  text: string,
  highlighted: (line: number, column: number) => TokenClass,
): readonly string[] {
  const expected = classesOf(text);
  const found: string[] = [];
  let offset = 0;
  for (const [index, line] of text.split("\n").entries()) {
    for (let column = 0; column < line.length; column += 1) {
      const wanted = expected[offset + column];
      if (wanted === undefined || /\s/.test(line[column] ?? "")) continue;
      const given = highlighted(index, column);
      if (given !== wanted)
        found.push(`${file}:${index + 1}:${column + 1}: ${given}, not ${wanted}: ${line}`);
    }
    offset += line.length + 1;
  }
  return found.slice(0, 3);
}

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

vim("the Vim syntax agrees with the lexer on every character", (t: ExecutionContext) => {
  t.timeout(120_000);
  const ascii = texts.filter(([, text]) => /^[\x20-\x7e\t\n]*$/.test(text));
  const names = ascii.map((_, index) => `f${index}.reeve`);
  const files = Object.fromEntries(ascii.map(([, text], index) => [names[index] ?? "", text]));
  const cwd = folder(t, { ...files, "run.vim": vimScript });
  const { status } = spawnSync("nvim", ["--headless", "--clean", "-S", "run.vim"], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      XDG_STATE_HOME: cwd,
      REEVE_VIM: join(process.cwd(), "editors/vim"),
      REEVE_FILES: names.join("\n"),
      REEVE_OUT: join(cwd, "out"),
    },
    stdio: "ignore",
  });
  t.is(status, 0);
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
