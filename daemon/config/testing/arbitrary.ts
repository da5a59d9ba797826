/** Programs at random, for properties: always readable, sometimes wrong, full of secrets. */
import fc from "fast-check";

/** The content of every secret in these programs, and what functions make of it. */
export const CONTENT = "h8nter2-S3CR3T";

const literal = fc.constantFrom(
  '"text"',
  "5",
  "-1",
  "true",
  "null",
  "30s",
  "64KiB",
  "50%",
  're"^a+$"',
  '["a", "b"]',
  "[]",
  '{ a = 1, b = "x" }',
  "let.plain",
  "let.list",
  "sandbox.build",
  "payload.ref",
  'header["X-A"]',
);
const secret = fc.constantFrom('secret("env:TOKEN")', "let.token", "let.made");

const expression: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => {
  const any = tie("any");
  const called = (name: string, count: number) =>
    fc
      .tuple(...Array.from({ length: count }, () => any))
      .map((args) => `${name}(${args.join(", ")})`);
  return {
    any: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      { arbitrary: literal, weight: 4 },
      { arbitrary: secret, weight: 3 },
      { arbitrary: any.map((part) => `"a \${${part}} b"`), weight: 2 },
      {
        arbitrary: fc
          .tuple(any, fc.constantFrom("==", "+", "??", "&&", "in", "<", "=~"), any)
          .map(([a, op, b]) => `(${a} ${op} ${b})`),
        weight: 2,
      },
      { arbitrary: fc.tuple(any, any, any).map(([a, b, c]) => `(${a} ? ${b} : ${c})`), weight: 1 },
      {
        arbitrary: fc.array(any, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
        weight: 1,
      },
      { arbitrary: any.map((part) => `{ x = ${part} }`), weight: 1 },
      {
        arbitrary: any.map((part) => `${part}.x`).filter((text) => !/^[-\d]/.test(text)),
        weight: 1,
      },
      { arbitrary: any.map((part) => `[for i in [${part}]: i]`), weight: 1 },
      { arbitrary: any.map((part) => `{ for i, x in [${part}]: "n${"$"}{i}" => x }`), weight: 1 },
      {
        arbitrary: fc
          .constantFrom(
            "lower",
            "trim",
            "base64",
            "hex",
            "sha256",
            "json_encode",
            "json_decode",
            "length",
            "sort",
            "basename",
          )
          .chain((name) => called(name, 1)),
        weight: 2,
      },
      {
        arbitrary: fc
          .constantFrom(
            "split",
            "starts_with",
            "concat",
            "merge",
            "coalesce",
            "try",
            "contains",
            "cidr_contains",
            "host_matches",
          )
          .chain((name) => called(name, 2)),
        weight: 2,
      },
      { arbitrary: called("replace", 3), weight: 1 },
      {
        arbitrary: fc.tuple(any, any).map(([a, b]) => `format("%s %q %d", ${a}, ${b}, 5)`),
        weight: 1,
      },
    ),
  };
}).any;

/** Expressions that give a string, so that programs made of them are mostly right. */
const text: fc.Arbitrary<string> = fc.letrec<{ text: string }>((tie) => {
  const inner = tie("text");
  const wrapped = fc.constantFrom("lower", "upper", "trim", "base64", "hex", "sha256", "basename");
  return {
    text: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      { arbitrary: fc.constantFrom('"plain"', "let.plain", 'env("X", default = "x")'), weight: 2 },
      { arbitrary: secret, weight: 3 },
      { arbitrary: fc.tuple(wrapped, inner).map(([name, part]) => `${name}(${part})`), weight: 2 },
      { arbitrary: fc.tuple(inner, inner).map(([a, b]) => `"\${${a}}-\${${b}}"`), weight: 2 },
      { arbitrary: fc.tuple(inner, inner).map(([a, b]) => `join([${a}, ${b}], "/")`), weight: 1 },
      { arbitrary: fc.tuple(inner, inner).map(([a, b]) => `replace(${a}, "n", ${b})`), weight: 1 },
      { arbitrary: fc.tuple(inner, inner).map(([a, b]) => `coalesce(${a}, ${b})`), weight: 1 },
      {
        arbitrary: fc.tuple(inner, inner).map(([a, b]) => `try(json_decode(${a}).x, ${b})`),
        weight: 1,
      },
      {
        arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(starts_with(${a}, "h") ? ${a} : ${b})`),
        weight: 1,
      },
    ),
  };
}).text;

const attributes: Readonly<Record<string, readonly string[]>> = {
  sandbox: ["memory", "allow", "env", "share", "engine", "limits"],
  hook: ["run", "stdin", "when", "timeout", "env", "path", "match", "run_in", "nonsense"],
  settings: ["schema", "watch", "values", "debounce"],
};

/** Any attribute with any value: mostly wrong. */
const wild = fc
  .tuple(
    fc.constantFrom("sandbox", "hook", "settings"),
    fc.nat({ max: 3 }),
    fc.array(expression, { maxLength: 4 }),
  )
  .map(([kind, label, values]) => {
    const names = attributes[kind] ?? [];
    const lines = values.map(
      (value, index) => `  ${names[(index * 3 + label) % names.length]} = ${value}\n`,
    );
    return `${kind} "wild-${label}" {\n${lines.join("")}}\n`;
  });

/** Attributes that take secrets, with strings in them: right, unless a literal stands where a secret must. */
const tame = fc.tuple(fc.nat({ max: 5 }), text, text, text).map(
  ([label, a, b, c]) => `hook "tame-${label}" {
  run = ["true"]
  stdin = "\${${a}} \${payload.ref}"
  env = { A = ${b}, B = "x" }
  verify "hmac" {
    header = "X"
    secret = "\${${c}}\${let.token}"
  }
}
settings "tame-${label}" {
  schema = "x"
  watch = []
  values = [{ inner = ${a} }, ${b}]
}
`,
);

const head = `let plain = "plain"
let list = [1, "a"]
let token = secret("env:TOKEN")
let made = "x\${let.token}"
sandbox "build" {}
`;

/** A configuration of a few blocks, right or wrong. */
export const configuration: fc.Arbitrary<string> = fc
  .tuple(
    fc.uniqueArray(tame, { minLength: 1, maxLength: 3, selector: (block) => block.slice(0, 13) }),
    fc.oneof(
      { arbitrary: fc.constant([]), weight: 2 },
      { arbitrary: fc.array(wild, { maxLength: 3 }), weight: 1 },
    ),
    fc.oneof(
      { arbitrary: fc.constant([]), weight: 2 },
      { arbitrary: fc.array(expression, { maxLength: 2 }), weight: 1 },
    ),
  )
  .map(([right, wrong, lets]) => {
    const own = lets.map((value, index) => `let own${index} = ${value}\n`);
    return [head, ...own, ...right, ...wrong].join("");
  });
