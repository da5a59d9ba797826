/** Functions that encode, decode and digest. Text is taken as UTF-8. */
import { createHash } from "node:crypto";
import { ANY, STRING } from "../types/type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { decodeJson, encodeJson } from "./json.js";
import type { FunctionSignature } from "./signature.js";

const REFERENCES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;" },
  ...{ '"': "&quot;", "'": "&#39;" },
};

/** @throws EvaluationError where the text is not Base64, or what it stands for is not UTF-8 */
function decodeBase64(encoded: string): string {
  const bytes = Buffer.from(encoded, "base64");
  const bare = (text: string): string => text.replace(/={1,2}$/, "");
  if (bare(bytes.toString("base64")) !== bare(encoded)) {
    throw new EvaluationError("the text is not Base64");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError("what the Base64 text stands for is not UTF-8");
  }
}

const text = { name: "text", type: STRING } as const;

export const dataFunctions: readonly FunctionSignature[] = [
  {
    name: "json_encode",
    doc: "A value as compact JSON; durations, sizes and percentages as texts.",
    parameters: [{ name: "value", type: ANY }],
    returns: STRING,
    examples: [
      ["json_encode({ a = [1, true], t = 30s })", '"{\\"a\\":[1,true],\\"t\\":\\"30s\\"}"'],
    ],
    apply: encodeJson,
  },
  {
    name: "json_decode",
    doc: "The value that a JSON text stands for.",
    parameters: [text],
    returns: ANY,
    examples: [['json_decode("{\\"a\\": [1, 2]}")', "{ a = [1, 2] }"]],
    apply: decodeJson,
  },
  {
    name: "base64",
    doc: "The text in Base64 (RFC 4648 §4, padded).",
    parameters: [text],
    returns: STRING,
    examples: [['base64("user:pass")', '"dXNlcjpwYXNz"']],
    apply: (value: string) => Buffer.from(value, "utf8").toString("base64"),
  },
  {
    name: "base64_decode",
    doc: "The text that a Base64 text stands for (RFC 4648 §4); it must be UTF-8.",
    parameters: [text],
    returns: STRING,
    examples: [['base64_decode("dXNlcjpwYXNz")', '"user:pass"']],
    apply: decodeBase64,
  },
  {
    name: "url_encode",
    doc: "The text as a part of a URL: all but letters, digits, `-`, `.`, `_` and `~` as `%` and two digits (RFC 3986 §2).",
    parameters: [text],
    returns: STRING,
    examples: [['url_encode("a b&c=ä")', '"a%20b%26c%3D%C3%A4"']],
    apply: (value: string) =>
      encodeURIComponent(value.toWellFormed()).replace(
        /[!'()*]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
  },
  {
    name: "html",
    doc: "The text for an HTML page: `&`, `<`, `>`, `\"` and `'` as character references. Use it for every value of a request in an HTML body.",
    parameters: [text],
    returns: STRING,
    examples: [['html("<b>&")', '"&lt;b&gt;&amp;"']],
    apply: (value: string) => value.replace(/[&<>"']/g, (sign) => REFERENCES[sign] ?? sign),
  },
  {
    name: "hex",
    doc: "The text's bytes in hexadecimal, lower case.",
    parameters: [text],
    returns: STRING,
    examples: [['hex("Az")', '"417a"']],
    apply: (value: string) => Buffer.from(value, "utf8").toString("hex"),
  },
  {
    name: "sha256",
    doc: "The SHA-256 digest of the text, in hexadecimal.",
    parameters: [text],
    returns: STRING,
    examples: [
      ['sha256("")', '"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"'],
    ],
    apply: (value: string) => createHash("sha256").update(value, "utf8").digest("hex"),
  },
];
