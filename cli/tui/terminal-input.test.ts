import { PassThrough } from "node:stream";
import test from "ava";
import fc from "fast-check";
import { eventually } from "../../tests/support/eventually.js";
import { askBackground, TerminalInput, withoutReplies } from "./terminal-input.js";

const ESC = "\u001b";
const OSC = `${ESC}]11;rgb:1e1e/2020/2a2a${ESC}\\`;

const cases: ReadonlyArray<readonly [text: string, keys: string, held: string]> = [
  ["jk", "jk", ""],
  [`j${OSC}k`, "jk", ""],
  [`j${ESC}]11;rgb:0/0/0\u0007k`, "jk", ""],
  [`${ESC}P1$r0m${ESC}\\q`, "q", ""],
  [`j${ESC}]11;rgb:1e`, "j", `${ESC}]11;rgb:1e`],
  [`j${ESC}]11;rgb:1e/2/3${ESC}`, "j", `${ESC}]11;rgb:1e/2/3${ESC}`],
  [ESC, ESC, ""],
  [`${ESC}[A${ESC}OP`, `${ESC}[A${ESC}OP`, ""],
  [`${ESC}]`, `${ESC}]`, ""],
  ["]11;rgb", "]11;rgb", ""],
];
for (const [text, keys, held] of cases) {
  test(`of ${JSON.stringify(text)} the keys are left`, (t) => {
    t.deepEqual(withoutReplies(text), { keys, held });
  });
}

test("keys are never held back for long, and never changed", (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(..."jq]P1;:\\[A\u001b\u0007")), (all) => {
      const { keys, held } = withoutReplies(all.join("") + "x".repeat(300));
      t.true(held.length < 300);
      t.true(keys.endsWith("x") || held.length > 0 || keys === "");
    }),
  );
});

/** A terminal that answers, as a process has it. */
function fakeTerminal(answer: string) {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  });
  const stdout = {
    write: (text: string) => {
      t0.push(text);
      if (answer !== "") stdin.write(answer);
      return true;
    },
  };
  const t0: string[] = [];
  const terminal = { stdin, stdout } as unknown as Pick<NodeJS.Process, "stdin" | "stdout">;
  return { terminal, stdin, modes, written: t0 };
}

const replies: ReadonlyArray<readonly [string, readonly number[] | undefined, left: string]> = [
  [`${OSC}${ESC}[?62;52c`, [30, 32, 42], ""],
  [`q${ESC}]11;rgb:ff/ff/ff\u0007${ESC}[?1;2cj`, [255, 255, 255], "qj"],
  [`${ESC}[?6c`, undefined, ""],
];
for (const [reply, colour, left] of replies) {
  test(`a terminal that answers ${JSON.stringify(reply)}`, async (t) => {
    const { terminal, stdin, modes } = fakeTerminal(reply);
    t.deepEqual(await askBackground(terminal, 60_000), colour as never);
    t.deepEqual(modes, [true, false]);
    t.is((stdin.read() ?? "").toString(), left, "keys stay for the next reader");
  });
}

test("a terminal that says nothing is not waited for", async (t) => {
  const { terminal } = fakeTerminal("");
  t.is(await askBackground(terminal, 1), undefined);
});

test("what Ink reads has no late answers, also where they come in pieces", async (t) => {
  const { stdin, modes } = fakeTerminal("");
  const input = new TerminalInput(stdin as unknown as NodeJS.ReadStream);
  const seen: string[] = [];
  input.setEncoding("utf8");
  input.on("data", (text: string) => seen.push(text));
  for (const piece of ["j", `${ESC}]11;rgb:1e1e/`, `2020/2a2a${ESC}`, "\\k"]) {
    stdin.write(piece);
    await eventually("the piece is read", () => stdin.readableLength === 0);
  }
  await eventually("two keys", () => seen.join("").length >= 2);
  t.is(seen.join(""), "jk");
  input.setRawMode(true);
  t.deepEqual(modes, [true]);
  input.detach();
  t.true(input.destroyed);
});
