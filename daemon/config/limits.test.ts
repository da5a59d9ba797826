/** However a configuration nests, it ends in a program or a complaint, never in a full stack. The codes' examples are in `codes.test.ts`. */
import test from "ava";
import { loadFiles } from "./testing/load-files.js";

const nested = (open: string, close: string, depth: number) => (inner: string) =>
  open.repeat(depth) + inner + close.repeat(depth);

const forms: Readonly<Record<string, (inner: string) => string>> = {
  calls: nested("lower(", ")", 12),
  lists: nested("[", "]", 12),
  objects: nested("{ a = ", " }", 12),
  conditionals: nested("(true ? ", " : 1)", 12),
  templates: (inner) => `"\${${nested('lower("a${', '}")', 10)(inner)}}"`,
  defaults: nested("coalesce(", ")", 12),
  attempts: nested("try(", ", 1)", 12),
  positions: nested("[1][", "]", 12),
  comprehensions: nested("[for x in [", "]: 1]", 12),
  sums: (inner) => `${inner}${" + 1".repeat(100)}`,
};

for (const [name, form] of Object.entries(forms)) {
  test(`${name} through chains of lets end`, async (t) => {
    for (const length of [10, 100, 1000]) {
      const lets = Array.from(
        { length },
        (_, index) => `let a${index} = ${form(`let.a${index + 1}`)}\n`,
      );
      const { diagnostics } = await loadFiles(`${lets.join("")}let a${length} = 0\n`);
      t.true(length < 1000 || diagnostics.some(({ code }) => code === "E409"));
    }
  });
}

test("mixins that use mixins that use mixins end", async (t) => {
  const mixins = Array.from(
    { length: 200 },
    (_, index) => `mixin "m${index}" { use mixin.m${index + 1} }\n`,
  );
  const { diagnostics } = await loadFiles(
    `${mixins.join("")}mixin "m200" {}\nsandbox "a" { use mixin.m0 }\n`,
  );
  t.deepEqual(
    diagnostics.map(({ code }) => code),
    ["E409"],
  );
});

test("blocks that read blocks that read blocks end", async (t) => {
  const updates = Array.from(
    { length: 1000 },
    (_, index) => `updates "u${index}" { listen = updates.u${index + 1}.url }\n`,
  );
  const { diagnostics } = await loadFiles(`${updates.join("")}updates "u1000" { listen = "x" }\n`);
  t.true(diagnostics.some(({ code }) => code === "E409"));
});

test("a secret in a secret in a secret ends", async (t) => {
  const lets = Array.from(
    { length: 40 },
    (_, index) => `let a${index + 1} = "\${let.a${index}}\${let.a${index}}"\n`,
  );
  const { diagnostics } = await loadFiles(`let a0 = secret("env:X")\n${lets.join("")}`);
  t.deepEqual(
    diagnostics.map(({ code }) => code),
    ["E408"],
  );
});

test("a value that contains itself many times over is refused before anybody walks it", async (t) => {
  const lets = Array.from(
    { length: 60 },
    (_, index) => `let a${index + 1} = [let.a${index}, let.a${index}]\n`,
  );
  const { diagnostics } = await loadFiles(
    `let a0 = ["x"]\n${lets.join("")}let b = json_encode(let.a60)\n`,
  );
  t.deepEqual(
    diagnostics.map(({ code }) => code),
    ["E408"],
  );
});
