/** Spec §5, "Hooks files", and what strict reading adds. */
import test from "ava";
import { complaintLine, readHooks } from "./read.js";

const loose = (text: string) => readHooks(text, { strict: false });
const ids = (text: string): unknown => {
  const reading = loose(text);
  return reading.ok ? reading.hooks.map(({ id }) => id) : complaintLine("f", reading.complaints[0]);
};

const files: ReadonlyArray<readonly [what: string, text: string, ids: readonly string[]]> = [
  ["JSON", '[{"id": "a"}]', ["a"]],
  ["JSON with trailing commas", '[{"id": "a",},]', ["a"]],
  ["JSON indented with tabs", '[\n\t{\n\t\t"id": "a"\n\t}\n]', ["a"]],
  ["JSON5 with comments", "// all of them\n[{id: 'a', /* one */ }]", ["a"]],
  ["`#` comments in JSON", '# all\n[{"id": "a"}]', ["a"]],
  ["YAML", "- id: a\n- id: b\n", ["a", "b"]],
  ["YAML in JSON", '[{"id": "a", "or": [ "x": 1 ]}]', ["a"]],
  ["anchors and merges", "- &a\n  id: a\n  execute-command: x\n- <<: *a\n  id: b\n", ["a", "b"]],
  ["a merge after what it must not replace", "- &a\n  id: a\n- id: b\n  <<: *a\n", ["a", "b"]],
  ["keys in any case", '[{"ID": "a"}]', ["a"]],
  ["duplicate keys: the last one", '[{"id": "a", "id": "b"}]', ["b"]],
  ["unknown keys", '[{"id": "a", "x": 1}]', ["a"]],
  ["only the first document", "- id: a\n---\n- id: b\n", ["a"]],
  ["an empty file", "", []],
];
for (const [what, text, expected] of files) {
  test(`a file may be or have ${what}`, (t) => t.deepEqual(ids(text), expected));
}

const scalars: ReadonlyArray<readonly [written: string, text: string]> = [
  ["0123", "83"],
  ["1e3", "1000"],
  ["0x1F", "31"],
  ["yes", "true"],
  ["on", "true"],
  ["1.0", "1"],
  ["1234567.891", "1.2345679e+06"],
  ["0.00001", "1e-05"],
  ["1.5", "1.5"],
  ["2024-01-02", "2024-01-02"],
  ["12:30:45", "12:30:45"],
  ["12345678901234567", "12345678901234567"],
  ['"0123"', "0123"],
  ["~", ""],
];
for (const [written, text] of scalars) {
  test(`an unquoted ${written} where a text is expected is ${text || "nothing"}`, (t) => {
    t.deepEqual(ids(`- id: ${written}\n`), [text]);
  });
}

const failures: ReadonlyArray<readonly [what: string, text: string, line: string]> = [
  [
    "a text where a number is expected",
    '[\n {"success-http-response-code": "x"}\n]',
    "f:2:33: `success-http-response-code` is a whole number",
  ],
  [
    "a text where a list is expected",
    "- id: a\n  http-methods: POST\n",
    "f:2:17: `http-methods` is a list",
  ],
  [
    "a text where a truth is expected",
    '[{"trigger-signature-soft-failures": "yes"}]',
    "f:1:38: `trigger-signature-soft-failures` is true or false",
  ],
  ["an object instead of a list", '{"id": "a"}', "f:1:1: the file is a list"],
  ["a text instead of a hook", '["a"]', "f:1:2: a hook is an object"],
];
for (const [what, text, line] of failures) {
  test(`${what} fails the file, in its place`, (t) => t.is(ids(text) as string, line));
}

test("a file that ends too early is refused with the place", (t) => {
  t.regex(String(ids('[\n  {"id": "a"')), /^f:2:\d+: /);
});
test("a file that makes itself large by aliases is refused", (t) => {
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (let index = 0; index < 8; index += 1) {
    const before = index === 0 ? "a" : `b${index - 1}`;
    bomb.push(`b${index}: &b${index} [${Array(10).fill(`*${before}`).join(", ")}]`);
  }
  t.regex(String(ids(bomb.join("\n"))), /too large/);
});

const hook = (more: string): string => `[{"id": "a", "execute-command": "/bin/true", ${more}}]`;
const match = (more: string): string => hook(`"trigger-rule": {"match": {${more}}}`);
const parameter = '"parameter": {"source": "header", "name": "X-Sig"}';
const complaints: ReadonlyArray<readonly [what: string, text: string, complaint: RegExp]> = [
  [
    "a misspelt key",
    hook('"trigger-rules": {}'),
    /`trigger-rules` means nothing here; did you mean `trigger-rule`\?/,
  ],
  [
    "a duplicate id",
    '[{"id":"a","execute-command":"x"},{"id":"a","execute-command":"x"}]',
    /taken by the hook in line 1/,
  ],
  ["a hook without an id", '[{"execute-command":"x"}]', /no `id`/],
  ["a hook without a command", '[{"id":"a"}]', /no `execute-command`/],
  ["an empty rule", hook('"trigger-rule": {}'), /nothing satisfies it/],
  [
    "a missing secret",
    match(`"type": "payload-hmac-sha256", "secret": "", ${parameter}`),
    /`secret` is empty/,
  ],
  [
    "a pattern that is none",
    match(`"type": "regex", "regex": "(?=x)", ${parameter}`),
    /not a pattern of RE2/,
  ],
  [
    "a network that is none",
    match('"type": "ip-whitelist", "ip-range": "10.0.0.0/33"'),
    /`ip-range`/,
  ],
  ["a match of no known type", match(`"type": "valeu", ${parameter}`), /no match type `valeu`/],
  [
    "a source that is none",
    hook('"pass-arguments-to-command": [{"source": "body", "name": "x"}]'),
    /no source `body`/,
  ],
  ["a status that is none", hook('"success-http-response-code": 999'), /999, which is no status/],
];
for (const [what, text, complaint] of complaints) {
  test(`defect 15: ${what} is found before the file is used, if strict`, (t) => {
    t.true(loose(text).ok);
    const strict = readHooks(text, { strict: true });
    t.false(strict.ok);
    if (!strict.ok) t.regex(complaintLine("f", strict.complaints[0]), complaint);
  });
}
