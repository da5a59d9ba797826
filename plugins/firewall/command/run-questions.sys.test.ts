/** `awf --ask` on a real terminal, which `script` makes, and answers from another one. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { AWF } from "../../../tests/support/commands.js";
import { onTerminal, session } from "../testing/terminal.js";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const zone = { "x.test": ["93.184.216.34"], "y.test": ["93.184.216.34"] };
const status = "curl -s -o /dev/null -w '%{http_code} '";
const twice = `${status} http://x.test/; ${status} http://x.test/`;

const question = /\[ASK\] curl wants to reach http:\/\/x\.test: /;

const rows: ReadonlyArray<readonly [key: string, statuses: string, list: string]> = [
  ["o", "200 403 ", "a.test\n"],
  ["i", "200 200 ", "a.test\n"],
  ["d", "403 403 ", "a.test\n"],
  ["a", "200 200 ", "a.test\nx.test # allowed when asked\n"],
];
for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";
  for (const [key, statuses, text] of rows) {
    test(`the key ${key} answers, and other keys do not (as ${as})`, async (t) => {
      await using world = await createTestInternet(zone);
      const list = join(world.workspace, "allow");
      writeFileSync(list, "a.test\n");
      const run = onTerminal(
        world,
        `stty -a > before; AWF --ask --allow-domains-file ${list} -- "cat; ${twice}" > out; stty -a > after`,
        ordinary,
      );
      const shown = await run.until(question);
      t.regex(shown, /: o once, i this run, a to write it to the list, d deny/);
      run.press(`z\r${key}`);
      if (key === "o") {
        await run.until(/x\.test: once[\s\S]*wants to reach/);
        run.press("d");
      }
      const { stdout } = await run.result;
      t.notRegex(stdout, /Changed while/);
      const read = (name: string) => readFileSync(join(world.workspace, name), "utf8");
      t.is(read("out"), statuses, stdout);
      t.is(read("allow"), text);
      t.is(read("after"), read("before"), "the terminal is as it was");
    });
  }
}

test("an entry for a block of --config is written to its file", async (t) => {
  await using world = await createTestInternet(zone);
  const file = join(world.workspace, "main.reeve");
  writeFileSync(file, 'sandbox "a" {\n  allow = ["a.test"] # ours\n}\n');
  const run = onTerminal(world, `AWF --ask --config main.reeve -- "${twice}"`);
  await run.until(question);
  run.press("a");
  t.regex((await run.result).stdout, /200 200 /);
  t.is(readFileSync(file, "utf8"), 'sandbox "a" {\n  allow = ["a.test", "x.test"] # ours\n}\n');
});

test("Ctrl-C ends the run while a question is open, and the terminal is as it was", async (t) => {
  await using world = await createTestInternet(zone);
  const run = onTerminal(
    world,
    `stty -a > before; AWF --ask -- "${twice}"; echo ended $?; stty -a > after`,
  );
  await run.until(question);
  run.press("\u0003");
  t.regex((await run.result).stdout, /ended 130/);
  const read = (name: string) => readFileSync(join(world.workspace, name), "utf8");
  t.is(read("after"), read("before"));
});

/** From another terminal. */
const answer = (world: TestInternet, ...argv: string[]) => world.awf(["ask", ...argv]);
const named = (shown: string) => /awf ask ([0-9a-f]{8}) once\|run\|deny/.exec(shown)?.[1] ?? "";

test("with --tty the command reads the terminal, and another one answers", async (t) => {
  await using world = await createTestInternet(zone);
  const run = onTerminal(world, `AWF --ask --tty -- "read line; echo got \\$line; ${twice}"`);
  await run.until(/Executing/);
  run.press("mine\r");
  const id = named(await run.until(question));
  t.regex((await answer(world)).stdout, new RegExp(`^${id}  http://x\\.test  curl\n$`));
  const { questions } = JSON.parse((await answer(world, "--json")).stdout);
  t.like(questions[0], { id, domain: "x.test", program: "curl" });
  t.is((await answer(world, id, "run")).code, 0);
  t.regex((await run.result).stdout, /got mine[\s\S]*200 200 /);
  t.regex((await answer(world)).stderr, /There are no questions/);
});

test("without a terminal another one answers; a wrong answer changes nothing", async (t) => {
  await using world = await createTestInternet(zone);
  const line = `${status} http://x.test/`;
  const run = session(world, process.execPath, [
    AWF,
    "--dns-servers",
    "8.8.8.8",
    "--ask",
    "--",
    line,
  ]);
  const id = named(await run.until(question));
  const none = await answer(world, id, "allow");
  t.is(none.code, 1);
  t.regex(none.stderr, /There is no list to write to/);
  for (const argv of [[id, "maybe"], [id]])
    t.regex((await answer(world, ...argv)).stderr, /^Usage/);
  t.regex((await answer(world, "00000000", "deny")).stderr, /There is no such question/);
  t.is((await answer(world, id, "deny")).code, 0);
  t.regex((await run.result).stdout, /403 /);
});

test("no command can answer its own questions", async (t: ExecutionContext) => {
  await using world = await createTestInternet(zone);
  const look = `ls -A ~/.local/state/reeve 2>/dev/null; find ~ /run /tmp /var /host/var -name 'ask-*.sock' 2>/dev/null; true`;
  const run = session(world, process.execPath, [
    ...[AWF, "--dns-servers", "8.8.8.8", "--ask", "--", `${status} http://x.test/ & ${look}; wait`],
  ]);
  const id = named(await run.until(question));
  await answer(world, id, "deny");
  t.is((await run.result).stdout, "403 ");
});

test("with --json questions and answers are data", async (t) => {
  await using world = await createTestInternet(zone);
  const line = `${status} -m 1 http://x.test/`;
  const { stderr } = await world.awf(["--dns-servers", "8.8.8.8", "--ask", "--json", "--", line]);
  const events = stderr
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Record<string, unknown>)
    .filter(({ domain }) => domain === "x.test");
  t.like(events, [
    { event: "asked", protocol: "http", program: "curl" },
    { event: "answered", answer: "abandoned" },
  ]);
});
