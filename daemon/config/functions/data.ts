/** Functions that encode, decode and digest. Text is taken as UTF-8. */
import { createHash } from "node:crypto";
import { ANY, STRING } from "../types/type.js";
import { decodeJson, encodeJson } from "./json.js";
import type { FunctionSignature } from "./signature.js";

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
