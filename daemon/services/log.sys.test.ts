import { PassThrough } from "node:stream";
import test, { type ExecutionContext } from "ava";
import { RootLog } from "./log.js";
import { textLine } from "./log-text.js";
import { Mask } from "./mask.js";
import { contextOf, kitFor, Lines } from "./testing/services.js";

async function logged(t: ExecutionContext, format: "json" | "text" = "json") {
  const lines = new Lines();
  const kit = await kitFor(t, { logStream: lines, logLevel: "info", logFormat: format });
  return { kit, lines };
}

test("a line is JSON: level, time, message and fields", async (t) => {
  const { kit, lines } = await logged(t);
  kit.log.warn("Something is odd.", { attempt: 2 });
  const [line] = lines.all;
  t.like(line, { level: "warn", message: "Something is odd.", attempt: 2 });
  t.regex(String(line?.time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  t.deepEqual(Object.keys(line ?? {}), ["level", "time", "attempt", "message"]);
});

test("the level holds for every log, also for those made before it changed", async (t) => {
  const { kit, lines } = await logged(t);
  const child = (await contextOf(kit)).context.log.child({ part: "a" });
  child.debug("unseen");
  kit.setLogLevel("debug");
  child.debug("seen");
  kit.setLogLevel("error");
  child.warn("unseen");
  t.deepEqual(
    lines.all.map(({ message, part, plugin }) => [message, part, plugin]),
    [["seen", "a", "sample"]],
  );
});

test("lines are kept for those who look, as they were written", async (t) => {
  const { kit } = await logged(t);
  const before = kit.logLines.since(0).at(-1)?.sequence ?? 0;
  kit.log.debug("unseen");
  (await contextOf(kit)).context.log.warn("odd", { plugin: "another", password: "hunter2" });
  const [line, ...others] = kit.logLines.since(before);
  t.like(line, { sequence: before + 1, level: "warn", plugin: "sample", message: "odd" });
  t.notRegex(JSON.stringify(line), /hunter2/);
  t.deepEqual(others, []);
});

test("a plugin cannot speak in another's name, nor break a line", async (t) => {
  const { kit, lines } = await logged(t);
  const { log } = (await contextOf(kit, "honest")).context;
  log
    .child({ plugin: "other", level: 1 })
    .info("a\nb", { time: "never", message: "x", plugin: "other" });
  t.is(lines.all.length, 1);
  t.like(lines.all[0], {
    plugin: "honest",
    level: "info",
    message: "a\nb",
    level_: 1,
    time_: "never",
    message_: "x",
  });
});

test("secrets are in no line, whichever way they come", async (t) => {
  const { kit, lines } = await logged(t);
  kit.mask.add("correct horse");
  const log = kit.log.child({ bound: "correct horse" });
  log.error("It is correct horse.", {
    list: ["correct horse"],
    error: new Error("correct horse"),
    password: "anything",
    url: "https://x/?a=correct+horse",
    basic: Buffer.from("me:correct horse").toString("base64"),
  });
  t.false(/correct|anything|Y29ycmVjdC/.test(lines.text));
  t.is(lines.all.length, 1);
});

const texts: ReadonlyArray<readonly [line: Record<string, unknown>, text: string]> = [
  [{ level: "info", message: "Ready.", plugin: "hooks" }, "10:00:00.000 info  hooks: Ready."],
  [
    { level: "warn", message: "Odd.", subject: "hook.deploy", why: "it is", n: 2, o: { a: 1 } },
    '10:00:00.000 warn  Odd. subject=hook.deploy why="it is" n=2 o={"a":1}',
  ],
  [
    { level: "error", message: "a\nfake line\u001b[31m\u202e", f: "\u001b[0m" },
    '10:00:00.000 error a\\nfake line\\u{1b}[31m\\u{202e} f="\\u001b[0m"',
  ],
];
for (const [line, text] of texts) {
  test(`for people: ${text}`, (t) => {
    t.is(textLine(JSON.stringify({ time: "2026-01-01T10:00:00.000Z", ...line })), `${text}\n`);
  });
}

test("text is what a terminal gets", async (t) => {
  const { kit, lines } = await logged(t, "text");
  kit.log.info("Hello.", { a: 1 });
  t.regex(lines.text, /^\d\d:\d\d:\d\d\.\d{3} info {2}Hello\. a=1\n$/);
});

test("a log that nobody reads any more stops nothing", async (t) => {
  const stream = new PassThrough();
  const log = new RootLog({ logLevel: "info", logFormat: "json", logStream: stream }, new Mask());
  stream.destroy(new Error("gone"));
  await new Promise((resolve) => setImmediate(resolve));
  t.notThrows(() => log.log.info("x"));
  log.close();
});
