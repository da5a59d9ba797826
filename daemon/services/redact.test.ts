import test from "ava";
import { ReeveError } from "../errors.js";
import { Mask } from "./mask.js";
import { looksSecret, redact } from "./redact.js";

const mask = new Mask();
mask.add("hunter2hunter2");
const shown = (fields: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(redact(fields, mask)));

const secretNames =
  "password PASSWORD dbPassword db_password token accessToken authToken x-api-key apiKey api_key API_KEY authorization Authorization cookie set-cookie privateKey private_key client_secret secrets GITHUB_TOKEN credential jwt hub-signature";
const plainNames =
  "key primary_key keyboard tokenizer token_count max_tokens_used secretary author secret_name token_file passwordLength cookies_count monkey";

for (const name of secretNames.split(" ")) {
  test(`a field called ${name} is redacted`, (t) => t.true(looksSecret(name)));
}
for (const name of plainNames.split(" ")) {
  test(`a field called ${name} is shown`, (t) => t.false(looksSecret(name)));
}

test("secrets are found at any depth, in values and in names", (t) => {
  t.deepEqual(
    shown({
      a: [{ password: "x" }],
      b: "is hunter2hunter2",
      "hunter2hunter2 is": 1,
      token: { a: 1 },
    }),
    { a: [{ password: "(secret)" }], b: "is (secret)", "(secret) is": 1, token: "(secret)" },
  );
});

test("whatever is passed becomes plain data", (t) => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const thrower = Object.defineProperty({}, "bad", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  const deep = Array.from({ length: 20 }).reduce((inner) => ({ inner }), 1 as unknown);
  t.like(shown({ circular, thrower }), {
    circular: { self: "(circular)" },
    thrower: { bad: "(unreadable)" },
  });
  t.true(JSON.stringify(shown({ deep })).includes("(deeper)"));
  t.deepEqual(
    shown({
      big: 10n,
      bytes: Buffer.from("abc"),
      date: new Date(0),
      map: new Map([["password", 1]]),
      set: new Set([1]),
      call: () => 1,
      nothing: null,
      secret: { toJSON: () => "(secret)" },
    }),
    {
      big: "10",
      bytes: "(3 bytes)",
      date: "1970-01-01T00:00:00.000Z",
      map: { password: "(secret)" },
      set: [1],
      call: "(function)",
      nothing: null,
      secret: "(secret)",
    },
  );
});

test("long texts and lists are cut", (t) => {
  const { text, list } = shown({ text: "x".repeat(20_000), list: Array(300).fill(1) }) as {
    text: string;
    list: unknown[];
  };
  t.true(text.endsWith("… (3616 more characters)"));
  t.is(list.at(-1), "(100 more)");
});

test("a bug is shown with its stack, what was expected without", (t) => {
  const bug = new TypeError("x is hunter2hunter2", { cause: new ReeveError("full", "Disk full.") });
  const { error } = shown({ error: bug }) as { error: Record<string, unknown> };
  t.is(error.message, "x is (secret)");
  t.regex(String(error.stack), /redact\.test/);
  t.false(String(error.stack).includes("hunter2"));
  t.deepEqual(error.cause, { name: "ReeveError", message: "Disk full.", code: "full" });
});
