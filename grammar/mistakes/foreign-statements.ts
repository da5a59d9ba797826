/** Statements and whole files in other languages, and how they are written here. */
import { isLineEnd, match, skipBlanks, skipTrivia } from "../reading/lexemes.js";
import { abandonedBlockEnd } from "../reading/strings.js";
import { foreignSyntax } from "./foreign-syntax.js";
import { createMistake, type Mistake, type RecoveryPoint } from "./mistake.js";
import { code } from "./wording.js";

interface ForeignStatement {
  /** Sticky; begins with the word that is reported. */
  readonly pattern: RegExp;
  readonly help: string;
  /** What replaces the word, if nothing else has to change. */
  readonly replacement?: string;
}

const IMPORT = 'files are imported: import "./file.reeve" as name';
const STATEMENTS: readonly ForeignStatement[] = [
  {
    pattern: /(?:@import|include|require|source|load)(?=[ \t]*"[^"\r\n]*"[ \t]*(?:[\r\n#]|$))/y,
    help: IMPORT,
    replacement: "import",
  },
  {
    pattern:
      /(?:@import|include|require|source|load)(?=[ \t]*["'(.])|from(?=[ \t]*["'.]|[ \t]+\w+[ \t]+import\b)/y,
    help: IMPORT,
  },
  {
    pattern: /(?:var|const|local|def|val|set)(?=[ \t]+[A-Za-z_]\w*[ \t]*=(?!=))/y,
    help: "a value is declared by `let`: let name = value",
    replacement: "let",
  },
  {
    pattern: /(?:set|export|declare)(?=[ \t]+[A-Za-z_]\w*)/y,
    help: "a value is declared by `let`: let name = value",
  },
  {
    pattern: /(?:function|func|fn|def|macro)(?=[ \t]+\w+[ \t]*\()/y,
    help: 'there are no functions of your own; attributes and blocks are shared by a mixin: mixin "name" { … }',
  },
  {
    pattern: /(?:while|until|foreach|loop)(?=[ \t]+[\w(!])/y,
    help: "a loop has a collection: for name in values { … }",
  },
  {
    pattern: /for[ \t]*\([^\r\n{;]*;[^\r\n{]*\)(?=[ \t]*\{)/y,
    help: "a loop has a collection: for name in range(3) { … }",
  },
  {
    pattern: /el(?:se?)?if(?=[ \t]+[\w("!])/y,
    help: "a further condition follows a body: if … { … } else if … { … }",
  },
  {
    pattern: /unless(?=[ \t]+[\w(!])/y,
    help: "a condition is negated by `!`: if !(condition) { … }",
  },
  {
    pattern: /(?:switch|case|match)(?=[ \t]+[\w("])/y,
    help: "cases are written as if … { … } `else if` … { … }",
  },
  {
    pattern: /return(?=[ \t]+[^\s=])/y,
    help: "nothing is returned: a value is declared by `let`: let name = value",
  },
  {
    pattern: /(?:extends|inherits|mixes)(?=[ \t]+[\w"])/y,
    help: "a body takes over a mixin: use mixin.name",
  },
  { pattern: /@\w+(?=[ \t]*\{)/y, help: "matchers are conditions: the attribute `when` of a hook" },
  {
    pattern: /[\w.-]*:[0-9]+(?=[ \t]*\{)/y,
    help: 'an address is an attribute: hook_server "main" { listen = "127.0.0.1:9000" }',
  },
];

/** A statement of another language. It is skipped with its body. */
export function foreignStatement(text: string, at: number): RecoveryPoint | undefined {
  for (const { pattern, help, replacement } of STATEMENTS) {
    const end = match(pattern, text, at);
    if (end < 0) continue;
    const message = `${code(text.slice(at, end))} does not begin an item`;
    const advice = replacement === undefined ? { help } : { help, replacement };
    return { complaint: createMistake("E001", at, end, message, advice), resume: end };
  }
  return undefined;
}

const HEADER =
  /[A-Za-z_]\w*(?:[ \t]+[\w-]+(?=[ \t]*:?[ \t]*[\r\n])|(?:\.[A-Za-z_]\w*)?(?:[ \t]+"[^"\r\n]*")*)/y;
const LABELLED = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:[ \t]+"[^"\r\n]*")+/y;
const SIGN_AND_BRACE = /[ \t]*(=>|->|:=|=|:)[ \t]*\{(?=[ \t]*(?:[\r\n#]|$))/y;
const SIGN_AND_LABEL = /([ \t]*)(=|:)[ \t]*"[^"\r\n]*"[ \t]*\{(?=[ \t]*(?:[\r\n#]|$))/y;
const CALL =
  /[A-Za-z_]\w*([([.][ \t]*["']?[\w/-]+["']?[ \t]*[)\]]?)[ \t]*\{(?=[ \t]*(?:[\r\n#]|$))/y;
const CONDITION =
  /[A-Za-z_]\w*(?:[ \t]+"[^"\r\n]*")+[ \t]+(if|unless|when|for|for_each)\b[^\r\n{]*(?=\{)/y;
const UNCLOSED_LABEL = /[A-Za-z_]\w*[ \t]+(")[^"\r\n{]*(?=\{[ \t]*(?:[\r\n]|$))/y;
const COMMA = /[A-Za-z_]\w*[ \t]+"[^"\r\n]*"(,)[ \t]*"[^"\r\n]*"[ \t]*\{/y;
/** A header with a space that is none, up to it. */
const SPACED = /([A-Za-z_]\w*(?:[ \t]*"[^"\r\n]*")*)\u00a0[ \t\u00a0]*(?:"[^"\r\n]*"[ \t]*)*\{/y;
const QUOTED_KIND = /"([A-Za-z_]\w*)"(?=(?:[ \t]+"[^"\r\n]*")+[ \t]*\{)/y;
const TYPOGRAPHIC = /[A-Za-z_]\w*[ \t]+([“”„‘’`][^“”„‘’`"\r\n]*[“”„‘’`])(?=[ \t]*\{)/y;
const HALF_QUOTED = /[A-Za-z_]\w*[ \t]+([\w/-]+")(?=[ \t]*\{)/y;

/** The header of a block with a mistake that is more than a label without quotes. */
export function brokenHeader(text: string, at: number): RecoveryPoint | undefined {
  const form = 'a block is written: kind "label" { … }';
  const found = (start: number, end: number, message: string, meant: string): RecoveryPoint => ({
    complaint: createMistake("E011", start, end, message, {
      ...(meant !== "" && { label: `write ${code(meant)}` }),
      help: form,
      replacement: meant,
    }),
    resume: text.indexOf("{", end),
  });
  const kindEnd = matchOf(QUOTED_KIND, text, at);
  if (kindEnd) return found(at, kindEnd.end, "a block's kind has no quotes", kindEnd.text);
  const quoted = matchOf(TYPOGRAPHIC, text, at) ?? matchOf(HALF_QUOTED, text, at);
  if (quoted) {
    const label = `"${quoted.text.replace(/[“”„‘’`"]/g, "")}"`;
    return found(quoted.end - quoted.text.length, quoted.end, "a label needs double quotes", label);
  }
  const header = match(LABELLED, text, at);
  const sign = header < 0 ? undefined : matchOf(SIGN_AND_BRACE, text, header);
  if (sign) {
    const start = text.indexOf(sign.text, header);
    return found(
      start,
      start + sign.text.length,
      `write the body without ${code(sign.text)} before it`,
      "",
    );
  }
  const name = match(/[A-Za-z_]\w*/y, text, at);
  const labelSign = name < 0 ? undefined : matchOf(SIGN_AND_LABEL, text, name, 2);
  if (labelSign) {
    const start = skipBlanks(text, name);
    return found(start, start + 1, `write the label without ${code(labelSign.text)} before it`, "");
  }
  const condition = matchOf(CONDITION, text, at);
  if (condition) {
    const start = text.indexOf(condition.text, match(LABELLED, text, at));
    const help = condition.text.startsWith("for")
      ? 'a loop stands around it: for name in values { hook "deploy-${name}" { … } }'
      : 'a condition stands around it: if condition { hook "deploy" { … } }';
    const end = start + condition.text.length;
    const message = `expected \`{\`, found ${code(condition.text)}`;
    return {
      complaint: createMistake("E011", start, end, message, { help }),
      resume: condition.end,
    };
  }
  const unclosed = matchOf(UNCLOSED_LABEL, text, at);
  if (unclosed) {
    const start = text.indexOf('"', at);
    const message = "this string is not closed";
    return { complaint: createMistake("E020", start, start + 1, message), resume: unclosed.end };
  }
  const call = matchOf(CALL, text, at);
  if (call && name >= 0) {
    const label = call.text.replace(/[^\w/-]/g, "");
    const meant = `${text.slice(at, name)} "${label}" {`;
    return {
      complaint: createMistake(
        "E011",
        name,
        name + call.text.length,
        "a label is a string behind a space",
        {
          label: `write ${code(meant)}`,
          fix: {
            title: `write ${code(meant)}`,
            edits: [{ start: name, end: name + call.text.length, text: ` "${label}"` }],
          },
        },
      ),
      resume: text.indexOf("{", name),
    };
  }
  const spaced = matchOf(SPACED, text, at);
  const odd = spaced && foreignSyntax(text, at + spaced.text.length);
  if (odd) return { complaint: odd, resume: text.indexOf("{", odd.end) };
  const comma = matchOf(COMMA, text, at);
  if (comma) {
    const start = text.indexOf('",', at) + 1;
    return found(start, start + 1, "write labels without `,` between them", "");
  }
  return unopenedBody(text, at, match(HEADER, text, at));
}

/** `do`, `then` or `:` where a body begins, or nothing at all. */
const OPENER = /[ \t]*(?:(do|then|:)[ \t]*)?(?=[\r\n]|$)/y;

/** A body without its `{`: the lines below are indented deeper. It is skipped with its end. */
export function unopenedBody(text: string, at: number, header: number): RecoveryPoint | undefined {
  const opener = header < 0 ? undefined : matchOf(OPENER, text, header);
  if (opener === undefined) return undefined;
  const below = skipTrivia(text, opener.end);
  const bodyEnd = abandonedBlockEnd(text, at);
  if (below >= bodyEnd || !isLineEnd(text.charCodeAt(opener.end))) return undefined;
  const last = skipTrivia(text, bodyEnd);
  const closer = /\}|end\b/y;
  const closed = match(closer, text, last);
  const isBlock = match(/[A-Za-z_]\w*[ \t]*(?:=|"|\{|:)|(?:for|if|use|let)\b/y, text, below) > 0;
  if (!isBlock || (closed < 0 && opener.text === "")) return undefined;
  const start = opener.text === "" ? header : text.indexOf(opener.text, header);
  const end = start + opener.text.length;
  const gap = start > header || opener.text === "" ? (opener.text === "" ? " {" : "{") : " {";
  const closes = text.startsWith("}", last);
  return {
    complaint: createMistake(
      "E011",
      start,
      end,
      "a body begins with `{` on the line of its header",
      {
        label: "expected `{`",
        ...(closes && { fix: { title: "insert `{`", edits: [{ start, end, text: gap }] } }),
      },
    ),
    resume: closed < 0 ? bodyEnd : closed,
  };
}

/** The first group of a sticky pattern's match, or another one. */
function matchOf(
  pattern: RegExp,
  text: string,
  at: number,
  group = 1,
): { readonly text: string; readonly end: number } | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? { text: found[group] ?? "", end: at + found[0].length } : undefined;
}

const TOML = /^(\[{1,2}[A-Za-z_][\w."-]*\]{1,2})[ \t]*\r?$/m;
const YAML =
  /^(---(?=[ \t]*\r?\n)|-[ \t]+[\w"'-]+:[^\r\n]*|[\w-]+:)[ \t]*\r?\n(?=[ \t]*(?:-[ \t]|[\w"'-]+:))/;
const XML = /^<[A-Za-z!?]/;
const JSON_START = /^(?:\{(?=\s*["}])|\[(?=\s*[{"\]]))/;

/** A whole file in another format: one mistake instead of many. */
export function foreignFile(text: string): Mistake | undefined {
  const start = skipTrivia(text, text.startsWith("\ufeff") ? 1 : 0);
  const rest = text.slice(start);
  const json = JSON_START.exec(rest);
  if (json) {
    return createMistake("E001", start, start + 1, "this file is JSON", {
      help: 'name it `main.reeve.json`, or write a block: kind "label" { name = value }',
    });
  }
  if (XML.test(rest)) {
    return createMistake("E001", start, start + 1, "this file is XML", {
      help: 'a block is written: kind "label" { name = value }',
    });
  }
  const yaml = YAML.exec(rest);
  if (yaml) {
    return createMistake("E001", start, start + (yaml[1] ?? "").length, "this file is YAML", {
      help: 'blocks have braces and attributes `=`: hook "deploy" { run = ["./deploy.sh"] }; hooks files of `webhook` are converted by `reeve hook convert`',
    });
  }
  const toml = TOML.exec(text);
  if (toml === null || text.slice(0, toml.index).includes("{")) return undefined;
  const end = toml.index + (toml[1] ?? "").length;
  return createMistake("E001", toml.index, end, "this file is TOML or INI", {
    help: 'a section is a block: hook "deploy" { run = ["./deploy.sh"] }',
  });
}
