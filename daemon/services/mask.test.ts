import test from "ava";
import fc from "fast-check";
import { Mask } from "./mask.js";

const maskOf = (...secrets: readonly string[]): Mask => {
  const mask = new Mask();
  for (const secret of secrets) mask.add(secret);
  return mask;
};

const secret = 'pa"ss wörd/1+2';
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const spellings: ReadonlyArray<readonly [name: string, text: string]> = [
  ["plain", secret],
  ["JSON", JSON.stringify(secret).slice(1, -1)],
  ["URL", encodeURIComponent(secret)],
  ["form", new URLSearchParams({ a: secret }).toString().slice(2)],
  ["lower-case URL", encodeURIComponent(secret).replaceAll("%C3%B6", "%c3%b6").toLowerCase()],
  ["JSON in ASCII", JSON.stringify(secret).slice(1, -1).replace("ö", "\\u00f6")],
  ["JSON in ASCII, in upper case", JSON.stringify(secret).slice(1, -1).replace("ö", "\\u00F6")],
  [
    "JSON in JSON in ASCII",
    JSON.stringify(JSON.stringify(secret).slice(1, -1).replace("ö", "\\u00f6")).slice(1, -1),
  ],
];
for (const [name, text] of spellings) {
  test(`a secret in its ${name} spelling is masked`, (t) => {
    t.is(maskOf(secret).text(`before ${text} after ${text}`), "before (secret) after (secret)");
    const bytes = maskOf(secret).bytes();
    const shown = Buffer.concat([bytes.push(Buffer.from(`before ${text} after`)), bytes.end()]);
    t.is(shown.toString(), "before (secret) after");
  });
}

for (const before of ["", "a", "ab", "user:"]) {
  test(`a secret behind "${before}" in Base64 is masked`, (t) => {
    const whole = base64(`${before}${secret} and more`);
    const masked = maskOf(secret).text(whole);
    t.true(masked.includes("(secret)"));
    // What is left around it says less than one character of the secret on either side.
    t.true(masked.replace("(secret)", "").length <= whole.length - base64(secret).length + 4);
    const url = Buffer.from(`${before}${secret}`).toString("base64url");
    t.true(maskOf(secret).text(url).includes("(secret)"));
    const bytes = maskOf(secret).bytes();
    const shown = Buffer.concat([bytes.push(Buffer.from(whole)), bytes.end()]).toString();
    t.is(shown, masked);
  });
}

test("short texts occur everywhere and are left alone", (t) => {
  t.is(maskOf("abc", "").text("abcabc"), "abcabc");
  t.is(maskOf("abcd").text("abcabcd"), "abc(secret)");
});

test("the longer of two secrets wins", (t) => {
  t.is(maskOf("hunter", "hunter2hunter").text("hunter2hunter hunter"), "(secret) (secret)");
});

test("characters with a meaning in patterns are only characters", (t) => {
  t.is(maskOf("a.*b$(c").text("axxb a.*b$(c"), "axxb (secret)");
});

test("each line of a key file is masked, as commands print them", (t) => {
  const mask = maskOf("-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQE\n-----END KEY-----\n");
  t.is(mask.text("> MIIEvQIBADANBg\r\n> kqhkiG9w0BAQE"), "> (secret)\r\n> (secret)");
});

test("a text in pieces is masked as it is whole, wherever it is cut", (t) => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom("abab", "ababab!", "aba", "hunter2", "hunter2-long", "hun", "ter2", "\n"),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 12 },
  );
  const mask = maskOf("ababab!", "hunter2", "hunter2-long");
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(60), { maxLength: 6 }), (parts, cuts) => {
      const text = parts.join("");
      const stream = mask.stream();
      let shown = "";
      let from = 0;
      for (const to of [...cuts].sort((a, b) => a - b)) {
        shown += stream.push(text.slice(from, Math.max(from, to)));
        from = Math.max(from, to);
      }
      shown += stream.push(text.slice(from)) + stream.end();
      t.is(shown, mask.text(text));
    }),
  );
});

test("bytes in pieces are masked wherever they are cut, and no other byte changes", (t) => {
  const mask = maskOf("hunter22", "wörd-secret");
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom("hunter22", "wörd-secret", ""),
      fc.uint8Array({ maxLength: 40 }),
      fc.array(fc.nat(100), { maxLength: 6 }),
      (before, secret, after, cuts) => {
        const whole = Buffer.concat([before, Buffer.from(secret), after]);
        const stream = mask.bytes();
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort(
          (a, b) => a - b,
        );
        const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
        const masked = Buffer.concat([...pieces.map((each) => stream.push(each)), stream.end()]);
        const shown = Buffer.from(secret === "" ? "" : "(secret)");
        t.deepEqual(masked, Buffer.concat([before, shown, after]));
      },
    ),
  );
});
